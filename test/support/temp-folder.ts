import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/** Gives the tests of a block a folder, by its real path: one for all, or one for each. It is removed after them. */
export function useTempFolder(use: (path: string) => void, per: "block" | "test" = "block"): void {
  let path = "";
  const [before, after] = per === "test" ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => {
    path = await realpath(await mkdtemp(join(tmpdir(), "dragoman-test-")));
    use(path);
  });
  after(() => rm(path, { recursive: true, force: true }));
}

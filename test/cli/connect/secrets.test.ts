import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { run, scratch, withAgent, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });
it("secrets from the settings are hidden in stderr and failures", async () => {
  const args = withAgent()[1]?.split(" ").slice(1);
  const settings = {
    agent_servers: { own: { command: "node", args, env: { X: "the database is gone" } } },
  };
  await writeFile(join(folders.cwd, "secret.json"), JSON.stringify(settings));
  const { err, last } = await run(["--settings", "secret.json", "-v", "crash"], where());
  expect(err).not.toContain("database");
  expect(last).toContain("stderr ends with: first words | [redacted]");
});

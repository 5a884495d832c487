// Compiles the example against the library and runs it unchanged.
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { aiLoads } from "../../support/ai-sdk.ts";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-ai-example-"));
  await symlink(path("../../../node_modules"), join(folder, "node_modules"), "dir");
  await build({
    input: path("../../../examples/ai.ts"),
    platform: "node",
    transform: { target: "node20.19" },
    resolve: { alias: { "dragoman/ai": path("../../../src/entries/ai.ts") } },
    external: ["ai"],
    output: { dir: folder, format: "esm", entryFileNames: "[name].mjs" },
    logLevel: "silent",
  });
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

it.skipIf(!aiLoads /* `ai` 7 needs Node 22 */)("the example prints the answer", async () => {
  const agent = path("../../support/agents/misbehaving.mjs");
  const args = [join(folder, "ai.mjs"), "hi", process.execPath, agent, "well"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  expect(stdout).toBe("you said: hi\n(end_turn)\n");
  expect(stderr).toBe("");
});

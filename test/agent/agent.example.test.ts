// Builds and runs the agent at the top of docs/agent.md.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AcpClient, type PolicyName } from "../../src/entries/dragoman.ts";
import { programOf } from "../support/recipes.ts";

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const code = programOf(await readFile(fromRoot("docs/agent.md"), "utf8"), "Twenty lines");

describe("the agent of the page", () => {
  let folder = "";
  const program = (): string => join(folder, "agent.mjs");
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dragoman-example-"));
    const input = join(folder, "agent.ts");
    await writeFile(input, code);
    const built = await rolldown({
      input,
      platform: "node",
      resolve: { alias: { "dragoman/agent": fromRoot("src/entries/agent.ts") } },
    });
    await built.write({ file: program(), format: "esm", codeSplitting: false });
    await built.close();
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each<[PolicyName, string, string]>([
    ["write", "end_turn", "one\ntwo\ncounted\n"],
    ["read", "refusal", "one\ntwo\n"],
  ])("under the policy %s ends with %s", async (permissions, stopReason, text) => {
    const file = join(folder, `${permissions}.txt`);
    await writeFile(file, "one\ntwo\n");
    const client = await AcpClient.start({
      command: process.execPath,
      args: [program()],
      permissions,
      capabilities: { fs: { writeTextFile: true } },
    });
    const session = await client.newSession({ cwd: folder });
    const turn = session.prompt(`${permissions}.txt`);
    expect(await turn.text()).toBe(`${permissions}.txt has 3 lines.`);
    expect((await turn.result).stopReason).toBe(stopReason);
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await client.close()).toMatchObject({ kind: "closed", exit: { code: 0 } });
  });

  it("is as short as the page claims", () => {
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(22);
  });
});

// Whole outputs of one rich turn, in every format. `npx vitest run test/apps/cli/render.golden.test.ts -u`
// updates them. Review the changes before you commit: users' scripts rely on this output.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { run, withAgent } from "./support/run.ts";
import { foldersForAll } from "./commands/setup.ts";

const folders = foldersForAll();
beforeAll(async () => {
  await writeFile(join(folders.cwd, "a.txt"), "one\ntwo\n");
});

/** Runs with a fixed clock, and replaces paths and versions in the output. */
async function golden(...argv: string[]): Promise<string> {
  const { code, out, err } = await run([...withAgent(), ...argv], {
    ...folders,
    now: () => 0,
  });
  const text = `exit code ${code}\n--- stdout\n${out}\n--- stderr\n${err}`;
  const [, command = ""] = withAgent();
  return text
    .replaceAll(command, "AGENT")
    .replaceAll(folders.cwd, "/project")
    .replace(/^(?:\{"jsonrpc":"2.0","id":1,"method":"initialize".*)$/m, (line) =>
      line.replace(/"version":"[^"]*"/, '"version":"0.0.0"'),
    );
}

it.each([
  ["text", ["story"]],
  ["thoughts", ["--thoughts", "story"]],
  ["color", ["--color", "always", "story"]],
  ["simple", ["-o", "simple", "story"]],
  ["jsonl", ["-o", "jsonl", "story"]],
  ["events", ["-o", "events", "story"]],
  ["denied", ["edit"]],
  ["denied-events", ["-o", "events", "edit"]],
  ["died", ["crash"]],
  ["died-events", ["-o", "events", "crash"]],
  ["lists", ["--list-caps", "--list-modes"]],
  ["lists-events", ["-o", "events", "--list-caps", "--list-modes"]],
])("the output of the case %s matches its golden file", async (name, argv) => {
  await expect(await golden(...argv)).toMatchFileSnapshot(`golden/${name}.txt`);
});

// Whole outputs of one rich turn, in every format. `npx vitest run test/cli/golden.test.ts -u` renews
// them; read what changed before it is committed: these files are what scripts of users rely on.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { run, scratch, withAgent, type Scratch } from "./support/run.ts";

let place: Scratch;
beforeAll(async () => {
  place = await scratch();
  await writeFile(join(place.cwd, "a.txt"), "one\ntwo\n");
});
afterAll(() => place.remove());

/** A clock that stands still, and paths that are nobody's. */
async function golden(...argv: string[]): Promise<string> {
  const { code, out, err } = await run([...withAgent(), ...argv], {
    home: place.home,
    cwd: place.cwd,
    now: () => 0,
  });
  const text = `exit code ${code}\n--- stdout\n${out}\n--- stderr\n${err}`;
  const [, command = ""] = withAgent();
  return text
    .replaceAll(command, "AGENT")
    .replaceAll(place.cwd, "/project")
    .replace(/^(?:\{"jsonrpc":"2.0","id":1,"method":"initialize".*)$/m, (line) =>
      line.replace(/"version":"[^"]*"/, '"version":"0.0.0"'),
    );
}

it.each([
  ["text", ["story"]],
  ["thoughts", ["--thoughts", "story"]],
  ["colour", ["--color", "always", "story"]],
  ["simple", ["-o", "simple", "story"]],
  ["jsonl", ["-o", "jsonl", "story"]],
  ["events", ["-o", "events", "story"]],
  ["refused", ["edit"]],
  ["refused-events", ["-o", "events", "edit"]],
  ["died", ["crash"]],
  ["died-events", ["-o", "events", "crash"]],
  ["lists", ["--list-caps", "--list-modes"]],
  ["lists-events", ["-o", "events", "--list-caps", "--list-modes"]],
])("%s", async (name, argv) => {
  await expect(await golden(...argv)).toMatchFileSnapshot(`golden/${name}.txt`);
});

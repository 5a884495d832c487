import { describe, expect, it } from "vitest";
import { run, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const folders = foldersForAll();

/** Whether a run deletes its session. */
const deletes = async (...argv: string[]): Promise<boolean> => {
  const { out } = await run(["-o", "jsonl", ...withAgent(), ...argv], folders);
  expect(out).toMatch(/"session\/(?:new|load)"/);
  return out.includes('"session/delete"');
};

describe("a session in which nothing was asked", () => {
  it.each([[["--list-modes"]], [["--list-commands"]], [["--model", "nosuch", "hello"]]])(
    "is deleted after %j",
    async (argv) => {
      expect(await deletes(...argv)).toBe(true);
    },
  );
  it.each([
    [["--list-modes", "hello"], "got a prompt"],
    [["--list-modes", "--save-session", "id"], "is saved for later"],
    [["--list-modes", "--resume", "kept"], "existed before"],
    [["--model", "nosuch", "--resume", "kept", "hello"], "existed before"],
    [["hello"], "got a prompt"],
  ])("is different from that of %j, which %s and stays", async (argv) => {
    expect(await deletes(...argv)).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { events, run, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

describe("commands that arrive before the turn", () => {
  const folders = foldersForAll();
  const dragoman = (stdin: string | undefined, ...argv: string[]) =>
    run([...argv, ...withAgent("commands-first")], {
      ...folders,
      ...(stdin === undefined ? {} : { stdin }),
    });

  it("are reported like commands that arrive within it", async () => {
    const { out, err } = await dragoman(undefined, "-v", "hello");
    expect(out).toBe("Hello, world");
    expect(err.match(/\[commands\].*/g)).toEqual(["[commands] /plan /test"]);
  });
  it("are reported once in a chat", async () => {
    const { out, err } = await dragoman("hello\nstory\nhello\n", "chat", "-o", "events");
    expect(err).toBe("");
    const types = events(out).map(({ type }) => type);
    // The agent sends the second list within its second turn.
    expect(types.filter((type) => type === "commands")).toHaveLength(2);
    expect((await dragoman("hello\nhello\n", "chat")).err).toBe("[commands] /plan /test\n");
  });
  it("are not reported again after --list-commands", async () => {
    const { out, err } = await dragoman(undefined, "--list-commands", "hello");
    expect(out).toContain("make a plan");
    expect(err).toBe("");
  });
  it("are not part of simple output", async () => {
    expect((await dragoman(undefined, "-o", "simple", "hello")).err).toBe("");
  });
});

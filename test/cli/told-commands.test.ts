import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { events, run, scratch, withAgent, type Scratch } from "./support/run.ts";

describe("commands that came before the turn", () => {
  let place: Scratch;
  beforeAll(async () => {
    place = await scratch();
  });
  afterAll(() => place.remove());
  const dragoman = (stdin: string | undefined, ...argv: string[]) =>
    run([...argv, ...withAgent("commands-first")], {
      home: place.home,
      cwd: place.cwd,
      ...(stdin === undefined ? {} : { stdin }),
    });

  it("are told as those that come within it are", async () => {
    const { out, err } = await dragoman(undefined, "hello");
    expect({ out, err }).toEqual({ out: "Hello, world", err: "[commands] /plan /test\n" });
  });
  it("are told once in a chat", async () => {
    const { out, err } = await dragoman("hello\nstory\nhello\n", "chat", "-o", "events");
    expect(err).toBe("");
    const types = events(out).map(({ type }) => type);
    // The second is what the agent sent within its second turn.
    expect(types.filter((type) => type === "commands")).toHaveLength(2);
    expect((await dragoman("hello\nhello\n", "chat")).err).toBe("[commands] /plan /test\n");
  });
  it("are not told again after --list-commands", async () => {
    const { out, err } = await dragoman(undefined, "--list-commands", "hello");
    expect(out).toContain("make a plan");
    expect(err).toBe("");
  });
  it("are no matter of simple output", async () => {
    expect((await dragoman(undefined, "-o", "simple", "hello")).err).toBe("");
  });
});

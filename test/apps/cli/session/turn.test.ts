import { describe, expect, it } from "vitest";
import { turnUsageFacts, Activity } from "../../../../src/apps/cli/session/turn.ts";
import { events, run, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";
import { toUpdate } from "../../../../src/protocol/acp/index.ts";

const tokens = { totalTokens: 5, inputTokens: 3, outputTokens: 2 };

describe("the usage of a turn", () => {
  it.each([
    ["nothing", {}, {}, undefined],
    ["the context", { contextUsage: { used: 1, size: 2 } }, {}, { used: 1, size: 2 }],
    ["the tokens", {}, { usage: tokens }, { tokens: { total: 5, input: 3, output: 2 } }],
    [
      "both",
      { contextUsage: { used: 1, size: 2 }, cost: { amount: 3, currency: "EUR" } },
      { usage: { ...tokens, cachedReadTokens: 1, thoughtTokens: null } },
      {
        used: 1,
        size: 2,
        cost: { amount: 3, currency: "EUR" },
        tokens: { total: 5, input: 3, output: 2, cachedRead: 1 },
      },
    ],
    ["no tokens without a total", {}, { usage: { inputTokens: 3 } }, undefined],
    ["no numbers that are none", {}, { usage: { totalTokens: "5" } }, undefined],
  ])("has %s", (_case, session, result, usage) => {
    const none = { contextUsage: undefined, cost: undefined };
    expect(turnUsageFacts({ ...none, ...session }, result)).toEqual(usage);
  });

  describe("is reported", () => {
    const folders = foldersForAll();
    const where = () => ({ ...folders, now: () => 0 });

    it("in the result event", async () => {
      const { out } = await run([...withAgent(), "-o", "events", "spending"], where());
      expect(events(out).at(-1)).toMatchObject({
        usage: { used: 12_000, size: 200_000, tokens: { total: 1234, input: 1000, output: 234 } },
      });
    });
    it("in a closing line on a terminal", async () => {
      const options = { ...where(), stderrTty: true };
      const { err } = await run([...withAgent(), "--color", "never", "spending"], options);
      expect(err).toContain(
        "[done] 0.0 s, 1,234 tokens (1,000 in, 234 out), context 12,000 of 200,000 (6 %)\n",
      );
      const simple = await run([...withAgent(), "-o", "simple", "spending"], options);
      expect(simple.err).not.toContain("[done]");
    });
    it("not in a pipe", async () => {
      expect((await run([...withAgent(), "spending"], where())).err).toBe("");
    });
  });
});

const chunk = (sessionUpdate: string) => ({ sessionUpdate, content: { type: "text", text: "x" } });
const tool = (toolCallId: string, status: string, title?: string) => ({
  sessionUpdate: title === undefined ? "tool_call_update" : "tool_call",
  toolCallId,
  status,
  title,
});

describe("the label of the spinner", () => {
  it.each([
    ["thinking", [chunk("agent_thought_chunk")], "thinking"],
    ["writing", [chunk("agent_thought_chunk"), chunk("agent_message_chunk")], "writing"],
    ["a running tool", [tool("a", "in_progress", "Run tests")], "Run tests"],
    [
      "no tool that has ended",
      [tool("a", "in_progress", "Run"), tool("a", "completed")],
      "waiting for x",
    ],
    [
      "no tool that has failed",
      [tool("a", "pending", "Run"), tool("a", "failed")],
      "waiting for x",
    ],
    [
      "the newest of several tools",
      [tool("a", "pending", "One"), tool("b", "pending", "Two")],
      "Two and 1 more",
    ],
    [
      "the other tool when one ends",
      [tool("a", "pending", "One"), tool("b", "pending", "Two"), tool("b", "completed")],
      "One",
    ],
    ["text that is safe", [tool("a", "pending", "evil\u001b[2J")], "evil␛[2J"],
  ])("is %s", (_what, updates, label) => {
    const activity = new Activity("waiting for x");
    expect(updates.map((raw) => activity.take(toUpdate(raw))).at(-1)).toBe(label);
  });
});

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

import { describe, expect, it } from "vitest";
import {
  finishMetadata,
  finishReason,
  PartStream,
  turnUsage,
} from "../../../src/client/ai/stream.ts";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { toUpdate } from "../../../src/protocol/acp/index.ts";

it.each([
  ["end_turn", "stop"],
  ["max_tokens", "length"],
  ["max_turn_requests", "other"],
  ["refusal", "content-filter"],
  ["cancelled", "other"],
  ["of the future", "other"],
])("the stop reason %s is %s", (raw, unified) => {
  expect(finishReason(raw)).toEqual({ unified, raw });
});

it("tokens are those that the agent reports", () => {
  const usage = {
    totalTokens: 20,
    inputTokens: 12,
    outputTokens: 8,
    thoughtTokens: 5,
    cachedReadTokens: 3,
    cachedWriteTokens: null,
  };
  expect(turnUsage({ usage })).toEqual({
    inputTokens: { total: 12, noCache: undefined, cacheRead: 3, cacheWrite: undefined },
    outputTokens: { total: 8, text: undefined, reasoning: 5 },
    raw: usage,
  });
});

it("tokens are unknown if the agent does not report them", () => {
  const { inputTokens, outputTokens } = turnUsage({});
  expect([inputTokens.total, outputTokens.total]).toEqual([undefined, undefined]);
});

it("the metadata contains only what is known", () => {
  const known = { sessionId: "s", turnId: "t", stopReason: "end_turn" };
  const metadata = finishMetadata({ ...known, plan: undefined, context: { used: 1, size: 2 } });
  expect(metadata).toEqual({ dragoman: { ...known, context: { used: 1, size: 2 } } });
});

const origin = { sessionId: "s", turnId: "t" };
const providerMetadata = { dragoman: origin };

type Wire = Readonly<Record<string, unknown>>;

const say = (text: string, messageId?: string): Wire => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  messageId,
});
const think = (text: string): Wire => ({
  sessionUpdate: "agent_thought_chunk",
  content: { type: "text", text },
});
const tool = (fields: Wire): Wire => ({ sessionUpdate: "tool_call", toolCallId: "c", ...fields });
const show = (content: Wire, sessionUpdate = "agent_message_chunk"): Wire => ({
  sessionUpdate,
  content,
});

/** All parts for a turn with these updates. */
function parts(updates: readonly Wire[], options = {}): LanguageModelV4StreamPart[] {
  const stream = new PartStream({ origin, takenNames: new Set(), raw: false, ...options });
  const all = updates.flatMap((update) => stream.change(toUpdate(update)));
  return [...all, ...stream.end()];
}

/** The parts in short: their type, and their text or name. */
function short(...given: Parameters<typeof parts>): string[] {
  return parts(...given).map((part) => {
    if ("delta" in part) return `${part.type} ${part.delta}`;
    if ("toolName" in part) return `${part.type} ${part.toolName}`;
    return part.type;
  });
}

describe("text", () => {
  it("is one block as long as the message goes on", () => {
    expect(parts([say("a"), say("b")])).toEqual([
      { type: "text-start", id: "t-1", providerMetadata },
      { type: "text-delta", id: "t-1", delta: "a" },
      { type: "text-delta", id: "t-1", delta: "b" },
      { type: "text-end", id: "t-1" },
    ]);
  });

  it("starts a new block with a new message, a thought or a tool call", () => {
    expect(
      short([say("a", "1"), say("b", "2"), think("c"), tool({ status: "completed" }), say("d")]),
    ).toEqual([
      "text-start",
      "text-delta a",
      "text-end",
      "text-start",
      "text-delta b",
      "text-end",
      "reasoning-start",
      "reasoning-delta c",
      "reasoning-end",
      "tool-input-start other",
      "tool-input-end",
      "tool-call other",
      "tool-result other",
      "text-start",
      "text-delta d",
      "text-end",
    ]);
  });

  it("that is empty is left out", () => {
    expect(parts([say("")])).toEqual([]);
  });
});

describe("other content", () => {
  it.each([
    [
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
    ],
    [
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "file", mediaType: "audio/wav" },
    ],
    [
      { type: "resource", resource: { uri: "x:y", blob: "AAAA" } },
      { type: "file", mediaType: "application/octet-stream" },
    ],
    [
      { type: "resource", resource: { uri: "x:y", text: "ä" } },
      {
        type: "file",
        mediaType: "text/plain",
        data: { type: "data", data: new TextEncoder().encode("ä") },
      },
    ],
    [
      { type: "resource_link", uri: "https://example.com/", name: "x", title: "X" },
      { type: "source", sourceType: "url", url: "https://example.com/", title: "X" },
    ],
    [
      { type: "resource_link", uri: "file:///a.pdf", name: "a.pdf", mimeType: "application/pdf" },
      { type: "source", sourceType: "document", filename: "file:///a.pdf", title: "a.pdf" },
    ],
  ])("%j becomes a file or a source", (content, part) => {
    expect(parts([show(content)])).toMatchObject([part]);
  });

  it("of a thought stays with the reasoning", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    expect(short([show(image, "agent_thought_chunk")])).toEqual(["reasoning-file"]);
  });
});

describe("a tool call", () => {
  it("is announced at once, and passed on when its input can no longer change", () => {
    const pending = tool({ status: "pending", title: "Read", kind: "read" });
    const update = { ...pending, sessionUpdate: "tool_call_update" };
    expect(short([pending])).toEqual([
      "tool-input-start read",
      "tool-input-end",
      "tool-call read",
      "tool-result read",
    ]);
    const running = { ...update, status: "in_progress", rawInput: { path: "a" } };
    const done = { ...update, status: "completed", rawOutput: { lines: 1 } };
    const all = parts([pending, { ...update, title: "Read a" }, running, done]);
    const metadata = { ...origin, title: "Read", kind: "read", locations: [] };
    expect(all).toEqual([
      {
        type: "tool-input-start",
        id: "c",
        toolName: "read",
        title: "Read",
        providerExecuted: true,
        dynamic: true,
        providerMetadata: { dragoman: metadata },
      },
      { type: "tool-input-end", id: "c" },
      {
        type: "tool-call",
        toolCallId: "c",
        toolName: "read",
        input: '{"path":"a"}',
        providerExecuted: true,
        dynamic: true,
        providerMetadata: { dragoman: metadata },
      },
      {
        type: "tool-result",
        toolCallId: "c",
        toolName: "read",
        result: { content: [], locations: [], rawOutput: { lines: 1 } },
        isError: false,
        dynamic: true,
        providerMetadata: { dragoman: metadata },
      },
    ]);
  });

  const content = [{ type: "content", content: { type: "text", text: "no such file" } }];
  it.each([
    [{ content }, "no such file"],
    [{ rawOutput: "denied" }, "denied"],
    [{ rawOutput: { code: 1 } }, '{"code":1}'],
    [{ title: "Read a" }, "the tool call failed: Read a"],
    [{}, "the tool call failed"],
  ])("that failed with %j has a readable error", (fields, result) => {
    const all = parts([tool({ ...fields, status: "failed" })]);
    expect(all.at(-1)).toMatchObject({ type: "tool-result", isError: true, result });
  });

  it("that the agent left open ends with the turn", () => {
    expect(parts([tool({ status: "in_progress" })]).at(-1)).toMatchObject({
      type: "tool-result",
      isError: true,
      result: "the turn ended before the tool call did",
    });
  });

  it("has ended for good when it has a result", () => {
    const done = tool({ status: "completed" });
    expect(parts([done, { ...done, sessionUpdate: "tool_call_update" }])).toHaveLength(4);
  });

  it("keeps the agent's own name, unless the program has a tool of that name", () => {
    const named = [tool({ name: "grep", status: "completed" })];
    expect(short(named)).toContain("tool-call grep");
    expect(short(named, { takenNames: new Set(["grep"]) })).toContain("tool-call agent_grep");
  });

  it("stays bounded in memory, however many there are", () => {
    const stream = new PartStream({ origin, takenNames: new Set(), raw: false });
    const big = "x".repeat(100_000);
    for (let n = 0; n < 5000; n++) {
      const call = { ...tool({ status: "pending", rawInput: big }), toolCallId: `c${n}` };
      stream.change(toUpdate(call));
    }
    expect(stream.end().length).toBeLessThan(5000);
  });
});

it("plans and notices are parts of their own", () => {
  const entry = { content: "Look", priority: "high", status: "pending" };
  const updates = [
    { sessionUpdate: "plan", entries: [entry] },
    { sessionUpdate: "notice", severity: "warning", title: "Slow" },
  ];
  expect(parts(updates)).toEqual([
    {
      type: "custom",
      kind: "dragoman.plan",
      providerMetadata: { dragoman: { ...origin, plan: [entry] } },
    },
    {
      type: "custom",
      kind: "dragoman.notice",
      providerMetadata: {
        dragoman: { ...origin, severity: "warning", title: "Slow", description: null },
      },
    },
  ]);
});

it.each([
  show({ type: "text", text: "x" }, "user_message_chunk"),
  { sessionUpdate: "available_commands_update", availableCommands: [] },
  { sessionUpdate: "current_mode_update", currentModeId: "m" },
  { sessionUpdate: "session_info_update", title: "t" },
  { sessionUpdate: "usage_update", used: 1, size: 2 },
  { sessionUpdate: "of the future" },
])("%j is visible only as a raw part", (update) => {
  expect(parts([update])).toEqual([]);
  expect(parts([update], { raw: true })).toEqual([{ type: "raw", rawValue: update }]);
});

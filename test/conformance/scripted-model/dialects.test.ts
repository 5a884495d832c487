import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { asObject, type JsonObject } from "../../../src/base/index.ts";
import { offersNoTools, smallestOf } from "../../../src/conformance/scripted-model/auxiliary.ts";
import { planReply, type WireItem } from "../../../src/conformance/scripted-model/reply.ts";
import {
  parseBody,
  parseJsonOrText,
  type ModelApi,
} from "../../../src/conformance/scripted-model/request.ts";
import { dialects, routeOf } from "../../../src/conformance/scripted-model/route.ts";
import {
  finish,
  text,
  thinking,
  toolCall,
  usage,
  type FinishReason,
  type Step,
} from "../../../src/conformance/scripted-model/script-parts.ts";

/** The rows of a file in this folder, each with the API that it is about. */
function rowsIn(name: string): readonly (readonly [ModelApi, JsonObject])[] {
  const lines = readFileSync(new URL(name, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line));
}

const context = { id: "r1", model: "mock" };
const names: ModelApi[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];
const numbers = { input: 1000, cachedInput: 100, output: 50, reasoning: 10 };
const step: Step = [
  thinking("let me", { chunks: 2 }),
  text("Hello you", { chunks: 3 }),
  toolCall("Read", { path: "a" }, { id: "c1", chunks: 2 }),
  toolCall("List", {}, { id: "c2" }),
  usage(numbers),
];

function events(items: readonly WireItem[]): JsonObject[] {
  return items.flatMap((item) => {
    if (item.kind !== "send") return [];
    expect(item.data.endsWith("\n\n")).toBe(true);
    const line = item.data.split("\n").find((part) => part.startsWith("data: ")) ?? "";
    return [asObject(parseJsonOrText(line.slice("data: ".length)))];
  });
}

describe("a stream", () => {
  test.each(names)("of %s carries every part", (name) => {
    const items = dialects[name].stream(planReply(step), context);
    const frames = events(items);
    if (name === "openai-chat") {
      expect(items.at(-1)).toMatchObject({ data: "data: [DONE]\n\n" });
      frames.pop();
    }
    if (name === "openai-responses")
      expect(frames.map((frame) => frame["sequence_number"])).toEqual([...frames.keys()]);
    const expected = rowsIn("streams.jsonl").filter(([api]) => api === name);
    expect(frames).toMatchObject(expected.map(([, frame]) => frame));
  });

  test.each(names)("of %s marks the deltas that a broken stream counts", (name) => {
    const items = dialects[name].stream(planReply(text("abc", { chunks: 3 })), context);
    expect(items.filter((item) => item.kind === "send" && item.content)).toHaveLength(3);
  });

  test.each(names)("of %s keeps pauses in position", (name) => {
    const items = dialects[name].stream(planReply(text("ab", { chunks: 2, delayMs: 3 })), context);
    expect(items.filter((item) => item.kind === "wait")).toHaveLength(2);
    expect(items[0]).toEqual({ kind: "wait", ms: 3 });
  });

  test.each(names)("of %s frames an answer without content", (name) => {
    expect(events(dialects[name].stream(planReply([]), context)).length).toBeGreaterThan(0);
  });
});

describe("a reply in one body", () => {
  test.each<[ModelApi, object]>([
    [
      "openai-chat",
      {
        choices: [
          {
            message: {
              content: "Hello you",
              reasoning_content: "let me",
              tool_calls: [
                { id: "c1", function: { name: "Read", arguments: '{"path":"a"}' } },
                { id: "c2", function: { name: "List", arguments: "{}" } },
              ],
            },
            finish_reason: "tool_calls",
          },
        ],
        usage: { total_tokens: 1050 },
      },
    ],
    [
      "openai-responses",
      {
        status: "completed",
        output: [{ type: "reasoning" }, { type: "message" }, { call_id: "c1" }, { call_id: "c2" }],
      },
    ],
    [
      "anthropic",
      {
        content: [
          { type: "thinking", thinking: "let me" },
          { type: "text", text: "Hello you" },
          { type: "tool_use", id: "c1", input: { path: "a" } },
          { type: "tool_use", id: "c2", input: {} },
        ],
        stop_reason: "tool_use",
        usage: { input_tokens: 900, output_tokens: 50 },
      },
    ],
    [
      "gemini",
      { candidates: [{ finishReason: "STOP" }], usageMetadata: { totalTokenCount: 1050 } },
    ],
  ])("has the form of %s", (name, expected) => {
    expect(dialects[name].whole(planReply(step), context)).toMatchObject(expected);
  });
});

describe("the finish reason", () => {
  test.each<[ModelApi, FinishReason | "stop by itself", string]>([
    ["openai-chat", "stop by itself", '"finish_reason":"stop"'],
    ["openai-chat", "length", '"finish_reason":"length"'],
    ["openai-chat", "filtered", '"finish_reason":"content_filter"'],
    ["openai-responses", "length", '"type":"response.incomplete"'],
    ["anthropic", "length", '"stop_reason":"max_tokens"'],
    ["anthropic", "filtered", '"stop_reason":"refusal"'],
    ["gemini", "length", '"finishReason":"MAX_TOKENS"'],
    ["gemini", "filtered", '"finishReason":"SAFETY"'],
  ])("in %s is translated: %s", (name, reason, expected) => {
    const items = dialects[name].stream(
      planReply(reason === "stop by itself" ? text("a") : [toolCall("T"), finish(reason)]),
      context,
    );
    expect(items.map((item) => (item.kind === "send" ? item.data : "")).join("")).toContain(
      expected,
    );
  });
});

test.each<[ModelApi, object]>([
  ["openai-chat", { error: { code: "429" } }],
  ["openai-responses", { error: { code: "429" } }],
  ["anthropic", { type: "error", error: { type: "rate_limit_error" } }],
  ["gemini", { error: { code: 429, status: "RESOURCE_EXHAUSTED" } }],
])("%s has its own error envelope", (name, expected) => {
  expect(dialects[name].errorBody(429)).toMatchObject(expected);
});

/** The same conversation in the body of each API. */
const conversations = rowsIn("conversations.jsonl");

test.each(conversations)("parseBody understands %s", (dialect, body) => {
  expect(parseBody(dialect, body)).toMatchObject({
    system: "Be good",
    messages: [
      { role: "user", text: "look", images: 1 },
      { role: "assistant", toolCalls: [{ id: "c1", name: "Read", input: { path: "a" } }] },
      { role: "tool", toolResults: [{ id: "c1", text: expect.stringContaining("inside") }] },
    ],
    tools: [{ name: "Read", description: "reads", schema: { type: "object" } }],
  });
});

test.each([
  ["POST", "/v1/chat/completions", { model: "m", stream: true }, "openai-chat", "m", true],
  ["POST", "/chat/completions", { model: "m" }, "openai-chat", "m", false],
  ["POST", "/v1/responses", { model: "m", stream: true }, "openai-responses", "m", true],
  ["POST", "/v1/messages?beta=true", { model: "m", stream: true }, "anthropic", "m", true],
  ["POST", "/v1beta/models/gem-1:streamGenerateContent?alt=sse", {}, "gemini", "gem-1", true],
  ["POST", "/v1beta/models/gem-1:generateContent", {}, "gemini", "gem-1", false],
])("%s %s is a model call", (method, path, body, dialect, model, stream) => {
  expect(routeOf(method, path, body)).toEqual({ kind: "model", dialect, model, stream });
});

test.each([
  ["POST", "/v1/messages/count_tokens?beta=true", "fixed"],
  ["POST", "/v1beta/models/gem-1:countTokens", "fixed"],
  ["GET", "/v1/models", "fixed"],
  ["POST", "/v1/embeddings", "unknown"],
  ["GET", "/v1/messages", "unknown"],
])("%s %s uses no step of the script", (method, path, kind) => {
  expect(routeOf(method, path, {}).kind).toBe(kind);
});

describe("auxiliary calls", () => {
  test.each(conversations)("in %s offer no tools, unlike the calls of a turn", (dialect, body) => {
    const request = { dialect, path: "", model: "", stream: true, headers: {}, body };
    expect(offersNoTools({ ...request, ...parseBody(dialect, body) })).toBe(false);
    const without = { ...body, tools: [] };
    expect(offersNoTools({ ...request, ...parseBody(dialect, without) })).toBe(true);
  });

  test.each([
    [{ type: "string" }, "scripted"],
    [{ type: "STRING", enum: ["flash", "pro"] }, "flash"],
    [{ type: "array", items: {} }, []],
    [{ type: ["integer", "null"], minimum: 3 }, 3],
    [{ anyOf: [{ type: "boolean" }] }, false],
    [
      {
        type: "OBJECT",
        properties: { reason: { type: "STRING" }, extra: { type: "STRING" } },
        required: ["reason"],
      },
      { reason: "scripted" },
    ],
  ])("get the smallest value of a schema: %j", (schema, expected) => {
    expect(smallestOf(schema)).toEqual(expected);
  });
});

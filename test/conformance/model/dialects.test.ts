import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { asObject, type JsonObject } from "../../../src/base/index.ts";
import { offersNoTools, smallestOf } from "../../../src/conformance/model/auxiliary.ts";
import { planReply, type WireItem } from "../../../src/conformance/model/reply.ts";
import { parseBody, parseLoosely, type ModelApi } from "../../../src/conformance/model/request.ts";
import { dialects, routeOf } from "../../../src/conformance/model/route.ts";
import {
  finish,
  text,
  thinking,
  toolCall,
  usage,
  type FinishReason,
  type Step,
} from "../../../src/conformance/model/script.ts";

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
    return [asObject(parseLoosely(line.slice("data: ".length)))];
  });
}

function typesOf(frames: readonly JsonObject[]): unknown[] {
  return frames.map((frame) => frame["type"]);
}

describe("a stream", () => {
  test("of openai-chat carries every part", () => {
    const items = dialects["openai-chat"].stream(planReply(step), context);
    expect(items.at(-1)).toMatchObject({ data: "data: [DONE]\n\n" });
    const frames = events(items).slice(0, -1);
    const choice = (delta: object, reason: string | null = null): object => ({
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    const head = (index: number, id: string, name: string): object => ({
      tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
    });
    const args = (index: number, value: string): object => ({
      tool_calls: [{ index, function: { arguments: value } }],
    });
    expect(frames).toMatchObject([
      choice({ role: "assistant", content: "" }),
      choice({ reasoning_content: "let" }),
      choice({ reasoning_content: " me" }),
      choice({ content: "Hel" }),
      choice({ content: "lo " }),
      choice({ content: "you" }),
      choice(head(0, "c1", "Read")),
      choice(args(0, '{"path')),
      choice(args(0, '":"a"}')),
      choice(head(1, "c2", "List")),
      choice(args(1, "{}")),
      choice({}, "tool_calls"),
      {
        choices: [],
        usage: {
          prompt_tokens: 1000,
          completion_tokens: 50,
          prompt_tokens_details: { cached_tokens: 100 },
        },
      },
    ]);
  });

  test("of anthropic carries every part", () => {
    const frames = events(dialects.anthropic.stream(planReply(step), context));
    const delta = (index: number, value: object): object => ({
      type: "content_block_delta",
      index,
      delta: value,
    });
    const stop = (index: number): object => ({ type: "content_block_stop", index });
    const start = (index: number, block: object): object => ({
      type: "content_block_start",
      index,
      content_block: block,
    });
    expect(frames).toMatchObject([
      {
        type: "message_start",
        message: { model: "mock", content: [], usage: { input_tokens: 900 } },
      },
      start(0, { type: "thinking", thinking: "" }),
      delta(0, { type: "thinking_delta", thinking: "let" }),
      delta(0, { type: "thinking_delta", thinking: " me" }),
      delta(0, { type: "signature_delta" }),
      stop(0),
      start(1, { type: "text", text: "" }),
      delta(1, { type: "text_delta", text: "Hel" }),
      delta(1, { type: "text_delta", text: "lo " }),
      delta(1, { type: "text_delta", text: "you" }),
      stop(1),
      start(2, { type: "tool_use", id: "c1", name: "Read", input: {} }),
      delta(2, { type: "input_json_delta", partial_json: '{"path' }),
      delta(2, { type: "input_json_delta", partial_json: '":"a"}' }),
      stop(2),
      start(3, { type: "tool_use", id: "c2", name: "List" }),
      delta(3, { partial_json: "{}" }),
      stop(3),
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use" },
        usage: { output_tokens: 50, cache_read_input_tokens: 100 },
      },
      { type: "message_stop" },
    ]);
  });

  test("of openai-responses carries every part", () => {
    const frames = events(dialects["openai-responses"].stream(planReply(step), context));
    expect(frames.map((frame) => frame["sequence_number"])).toEqual([...frames.keys()]);
    expect(typesOf(frames)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(frames.at(-1)).toMatchObject({
      response: {
        status: "completed",
        output: [
          { type: "reasoning", summary: [{ text: "let me" }] },
          { type: "message", content: [{ type: "output_text", text: "Hello you" }] },
          { type: "function_call", call_id: "c1", name: "Read", arguments: '{"path":"a"}' },
          { type: "function_call", call_id: "c2", name: "List", arguments: "{}" },
        ],
        usage: {
          input_tokens: 1000,
          output_tokens: 50,
          output_tokens_details: { reasoning_tokens: 10 },
        },
      },
    });
  });

  test("of gemini carries every part", () => {
    const frames = events(dialects.gemini.stream(planReply(step), context));
    const part = (value: object): object => ({
      candidates: [{ content: { role: "model", parts: [value] } }],
    });
    expect(frames).toMatchObject([
      part({ text: "let", thought: true }),
      part({ text: " me", thought: true }),
      part({ text: "Hel" }),
      part({ text: "lo " }),
      part({ text: "you" }),
      part({ functionCall: { id: "c1", name: "Read", args: { path: "a" } } }),
      part({ functionCall: { id: "c2", name: "List", args: {} } }),
      {
        candidates: [{ finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 40, thoughtsTokenCount: 10 },
      },
    ]);
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
const conversations: readonly (readonly [ModelApi, JsonObject])[] = JSON.parse(
  readFileSync(new URL("conversations.json", import.meta.url), "utf8"),
);

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

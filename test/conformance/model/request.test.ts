import { describe, expect, test } from "vitest";
import { offersNoTools, smallestOf } from "../../../src/conformance/model/auxiliary.ts";
import { type ModelApi, parseBody } from "../../../src/conformance/model/request.ts";
import type { JsonObject } from "../../../src/base/index.ts";
import { routeOf } from "../../../src/conformance/model/route.ts";

const conversations: [ModelApi, JsonObject][] = [
  [
    "openai-chat",
    {
      messages: [
        { role: "system", content: "Be good" },
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url: "data:" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "Read", arguments: '{"path":"a"}' } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "inside" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "Read", description: "reads", parameters: { type: "object" } },
        },
      ],
    },
  ],
  [
    "openai-responses",
    {
      instructions: "Be good",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "look" },
            { type: "input_image", image_url: "data:" },
          ],
        },
        { type: "function_call", call_id: "c1", name: "Read", arguments: '{"path":"a"}' },
        { type: "function_call_output", call_id: "c1", output: "inside" },
      ],
      tools: [
        { type: "function", name: "Read", description: "reads", parameters: { type: "object" } },
      ],
    },
  ],
  [
    "anthropic",
    {
      system: [{ type: "text", text: "Be good" }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image", source: {} },
          ],
        },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "c1", name: "Read", input: { path: "a" } }],
        },
        { role: "tool", content: [{ type: "tool_result", tool_use_id: "c1", content: "inside" }] },
      ],
      tools: [{ name: "Read", description: "reads", input_schema: { type: "object" } }],
    },
  ],
  [
    "gemini",
    {
      systemInstruction: { parts: [{ text: "Be good" }] },
      contents: [
        {
          role: "user",
          parts: [{ text: "look" }, { inlineData: { mimeType: "image/png", data: "" } }],
        },
        {
          role: "model",
          parts: [{ functionCall: { id: "c1", name: "Read", args: { path: "a" } } }],
        },
        {
          role: "tool",
          parts: [{ functionResponse: { id: "c1", name: "Read", response: { output: "inside" } } }],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: "Read", description: "reads", parameters: { type: "object" } },
          ],
        },
      ],
    },
  ],
];

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

import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { ContentCollector } from "../../../src/client/ai/model.ts";

function collected(parts: readonly LanguageModelV4StreamPart[]): ContentCollector {
  const collector = new ContentCollector();
  for (const part of parts) collector.add(part);
  return collector;
}

const plan = (n: number): LanguageModelV4StreamPart => ({
  type: "custom",
  kind: "dragoman.plan",
  providerMetadata: { dragoman: { n } },
});
const text = (...words: string[]): LanguageModelV4StreamPart[] => [
  { type: "text-start", id: "1" },
  ...words.map((delta) => ({ type: "text-delta" as const, id: "1", delta })),
  { type: "text-end", id: "1" },
];
const result: LanguageModelV4StreamPart = {
  type: "tool-result",
  toolCallId: "1",
  toolName: "x",
  result: {},
};

it("text goes on after a plan in the middle of it, and the last plan stays", () => {
  const [start, ...rest] = text("b");
  const parts = start ? [plan(1), start, plan(2), ...rest] : [];
  expect(collected(parts).result.content).toEqual([{ type: "text", text: "b" }, plan(2)]);
});

it("the end of the stream becomes the end of the answer", () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const finishReason = { unified: "stop", raw: "end_turn" } as const;
  const warnings = [{ type: "other", message: "x" } as const];
  const collector = collected([
    { type: "stream-start", warnings },
    { type: "response-metadata", id: "r" },
    { type: "finish", usage, finishReason },
  ]);
  const response = { id: "r" };
  expect(collector.result).toEqual({ content: [], warnings, response, usage, finishReason });
});

it("an answer without an end was interrupted", () => {
  expect(collected(text("a")).result.finishReason.unified).toBe("interrupted");
});

describe("the text for JSON", () => {
  it.each([
    ["the whole text", text(' {"a":1} '), '{"a":1}'],
    ["the text after the last tool call", [...text("hm"), result, ...text("1")], "1"],
    ["the inside of a fence", text("```json\n", "1", "\n```"), "1"],
    ["unchanged if there is more than a fence", text("x\n```\n1\n```"), "x\n```\n1\n```"],
  ])("is %s", (_what, parts, expected) => {
    expect(collected(parts).finalText).toBe(expected);
  });
});

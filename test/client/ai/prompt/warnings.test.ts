import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { settingWarnings } from "../../../../src/client/ai/prompt/warnings.ts";

type Settings = Omit<LanguageModelV4CallOptions, "prompt">;

const given: readonly (readonly [string, Settings])[] = [
  ["maxOutputTokens", { maxOutputTokens: 1 }],
  ["temperature", { temperature: 0 }],
  ["stopSequences", { stopSequences: ["x"] }],
  ["topP", { topP: 1 }],
  ["topK", { topK: 1 }],
  ["presencePenalty", { presencePenalty: 1 }],
  ["frequencyPenalty", { frequencyPenalty: 1 }],
  ["seed", { seed: 1 }],
  ["tools", { tools: [{ type: "function", name: "x", inputSchema: {} }] }],
  ["toolChoice", { toolChoice: { type: "required" } }],
  ["reasoning", { reasoning: "high" }],
  ["headers", { headers: { "x-key": "1" } }],
  ["responseFormat", { responseFormat: { type: "json" } }],
];

it.each(given)("%s is ignored with a warning", (feature, settings) => {
  const warnings = settingWarnings({ prompt: [], ...settings });
  expect(warnings).toMatchObject([{ feature, details: expect.stringMatching(/^[A-Z].*\.$/) }]);
});

const harmless: readonly Settings[] = [
  {},
  { tools: [], toolChoice: { type: "auto" } },
  { headers: { "User-Agent": "ai/7" } },
  { reasoning: "provider-default", responseFormat: { type: "text" } },
];

it.each(harmless)("%j needs no warning", (settings) => {
  expect(settingWarnings({ prompt: [], ...settings })).toEqual([]);
});

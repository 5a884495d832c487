import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { settingWarnings, splitPrompt } from "../../../src/client/ai/prompt.ts";

const system = (content: string): LanguageModelV4Message => ({ role: "system", content });
const user = (text: string): LanguageModelV4Message => ({
  role: "user",
  content: [{ type: "text", text }],
});
const assistant = (text: string, dragoman = {}): LanguageModelV4Message => ({
  role: "assistant",
  content: [{ type: "text", text, providerOptions: { dragoman } }],
});
const origin = { sessionId: "s", turnId: "t" };

describe("a prompt is split into", () => {
  it("instructions, and messages to answer", () => {
    expect(splitPrompt([system("a"), system("b"), user("hi")])).toEqual({
      system: "a\n\nb",
      earlier: [],
      latest: [user("hi")],
      origin: undefined,
    });
  });

  it("the conversation up to the last answer, and the messages after it", () => {
    const earlier = [user("1"), assistant("2"), user("3"), assistant("4")];
    const latest = [user("5"), user("6")];
    expect(splitPrompt([...earlier, ...latest])).toMatchObject({ earlier, latest });
  });
});

describe("the session of the last answer", () => {
  it.each([
    ["its own", [user("1"), assistant("2", origin), user("3")], origin],
    ["not that of an earlier one", [assistant("1", origin), assistant("2"), user("3")], undefined],
    ["unknown without a turn", [assistant("1", { sessionId: "s" }), user("3")], undefined],
    [
      "unknown if it is malformed",
      [assistant("1", { ...origin, turnId: 1 }), user("3")],
      undefined,
    ],
  ])("is %s", (_what, prompt, expected) => {
    expect(splitPrompt(prompt).origin).toEqual(expected);
  });

  it("is found on any part, because a message may have no text", () => {
    const answer: LanguageModelV4Message = {
      role: "assistant",
      content: [
        { type: "text", text: "from another model" },
        {
          type: "tool-call",
          toolCallId: "1",
          toolName: "read",
          input: {},
          providerOptions: { dragoman: origin },
        },
      ],
    };
    expect(splitPrompt([answer, user("3")]).origin).toEqual(origin);
  });
});

it.each([
  ["an empty prompt", []],
  ["only instructions", [system("x")]],
  ["an answer at the end", [user("1"), assistant("2")]],
])("%s cannot be answered", (_what, prompt) => {
  expect(() => splitPrompt(prompt)).toThrow("must end with a message from the user");
});

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

import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { toBlocks } from "../../../src/client/ai/prompt.ts";

const latest: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "go" }] }];

/** The texts of a prompt. */
function texts(...given: Parameters<typeof toBlocks>): string[] {
  return toBlocks(...given).map((block) => (block.type === "text" ? block.text : block.type));
}

it("a message is sent as it is", () => {
  expect(texts({ system: "", earlier: [], latest }, {})).toEqual(["go"]);
});

it("instructions come first", () => {
  expect(texts({ system: "Be brief.", earlier: [], latest }, {})).toEqual([
    "Instructions:\nBe brief.",
    "go",
  ]);
});

it("an unknown conversation is quoted, with its files and the names of its tools", () => {
  const earlier: LanguageModelV4Prompt = [
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm" },
        { type: "tool-call", toolCallId: "1", toolName: "read", input: {} },
        { type: "text", text: "done" },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "1",
          toolName: "read",
          output: { type: "text", value: "x" },
        },
      ],
    },
  ];
  expect(texts({ system: "", earlier, latest }, { image: true })).toEqual([
    "This is the conversation so far:",
    "User:",
    "look",
    "image",
    "Assistant: (used the tool read)\ndone",
    'Result of the tool read: {"type":"text","value":"x"}',
    "This is the end of the conversation so far. Answer the following message.",
    "go",
  ]);
});

it("a request for JSON comes last, with the schema", () => {
  const responseFormat = {
    type: "json",
    name: "colour",
    description: "a colour",
    schema: { type: "string" },
  } as const;
  expect(texts({ system: "", earlier: [], latest, responseFormat }, {}).at(-1)).toBe(
    [
      "Answer with one JSON value and nothing else: no explanation and no Markdown.",
      'It is called "colour".',
      "It is: a colour",
      'It must match this JSON schema:\n{"type":"string"}',
    ].join("\n"),
  );
});

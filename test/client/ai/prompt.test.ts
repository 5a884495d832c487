import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { fileBlock, splitPrompt, toBlocks } from "../../../src/client/ai/prompt.ts";
import { settingWarnings } from "../../../src/client/ai/call.ts";

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
    name: "color",
    description: "a color",
    schema: { type: "string" },
  } as const;
  expect(texts({ system: "", earlier: [], latest, responseFormat }, {}).at(-1)).toBe(
    [
      "Answer with one JSON value and nothing else: no explanation and no Markdown.",
      'It is called "color".',
      "It is: a color",
      'It must match this JSON schema:\n{"type":"string"}',
    ].join("\n"),
  );
});

const everything = { image: true, audio: true, embeddedContext: true };
const bytes = Uint8Array.from([1, 2, 255]);

function part(
  mediaType: string,
  data: LanguageModelV4FilePart["data"],
  filename?: string,
): LanguageModelV4FilePart {
  return { type: "file", mediaType, data, ...(filename === undefined ? {} : { filename }) };
}

describe("a file becomes", () => {
  it.each([
    ["an image", part("image/png", { type: "data", data: bytes }), { type: "image", data: "AQL/" }],
    ["audio", part("audio/wav", { type: "data", data: "AQL/" }), { type: "audio", data: "AQL/" }],
    [
      "an embedded resource",
      part("application/pdf", { type: "data", data: bytes }, "a b.pdf"),
      { type: "resource", resource: { uri: "attachment:///a%20b.pdf", blob: "AQL/" } },
    ],
    [
      "an embedded text",
      part("text/csv", { type: "data", data: new TextEncoder().encode("ä,b") }, "t.csv"),
      { type: "resource", resource: { text: "ä,b", mimeType: "text/csv" } },
    ],
    [
      "an embedded text, from base64",
      part("application/json", { type: "data", data: btoa("{}") }),
      { type: "resource", resource: { text: "{}" } },
    ],
    [
      "a link",
      part("image", { type: "url", url: new URL("https://example.com/x/a.png") }),
      { type: "resource_link", uri: "https://example.com/x/a.png", name: "a.png" },
    ],
  ])("%s", (_what, given, block) => {
    expect(fileBlock(given, everything)).toMatchObject(block);
  });

  it("base64, whatever its size", () => {
    const large = new Uint8Array(100_000).fill(7);
    const block = fileBlock(part("image/png", { type: "data", data: large }), everything);
    expect(block).toMatchObject({ data: Buffer.from(large).toString("base64") });
  });

  it("plain text if the agent does not accept resources", () => {
    const given = part("text/plain", { type: "text", text: "hi" }, "a.txt");
    expect(fileBlock(given, {})).toEqual({ type: "text", text: "a.txt:\nhi" });
  });
});

describe("an error names", () => {
  it.each([
    ["image/png", "the agent does not accept files of type image/png in prompts"],
    ["audio/wav", "the agent does not accept files of type audio/wav in prompts"],
    ["application/pdf", "the agent does not accept files of type application/pdf in prompts"],
    ["image", 'an agent needs the exact media type of a file, such as image/png, not "image"'],
  ])("the type %s", (mediaType, message) => {
    const given = part(mediaType, { type: "data", data: bytes });
    expect(() => fileBlock(given, {})).toThrow(message);
  });

  it("files that were uploaded to another provider", () => {
    const given = part("image/png", { type: "reference", reference: { openai: "file-1" } });
    expect(() => fileBlock(given, everything)).toThrow("pass its bytes or a URL");
  });
});

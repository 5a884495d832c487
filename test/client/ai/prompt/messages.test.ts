import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { splitPrompt } from "../../../../src/client/ai/prompt/messages.ts";

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

import { describe, expect, it } from "vitest";
import { ShownMessages } from "../../../../src/protocol/translator/agent/messages.ts";
import { textBlock } from "../sides.ts";

const image = { type: "image", data: "", mimeType: "image/png" };

/** The ids and texts of the chunks for a whole message. */
function chunks(messages: ShownMessages, id: string, ...blocks: object[]): readonly string[] {
  const given = blocks.map((block): { [key: string]: unknown } => ({ ...block }));
  return messages.replace("agent_message", id, given).chunks.map(({ messageId, content }) => {
    const text = typeof content === "object" && content && "text" in content ? content.text : "…";
    return `${String(messageId)}: ${String(text)}`;
  });
}

describe("a whole message in v1", () => {
  it("is its blocks, if nothing was shown", () => {
    const messages = new ShownMessages();
    expect(chunks(messages, "a", textBlock("one"), image)).toEqual(["a: one", "a: …"]);
  });

  it("is the rest, if it begins with the text that was shown", () => {
    const messages = new ShownMessages();
    messages.append("agent_message", "a", textBlock("Hel"));
    expect(chunks(messages, "a", textBlock("Hel"), textBlock("lo"))).toEqual(["a: lo"]);
    expect(chunks(messages, "a", textBlock("Hello"))).toEqual([]);
    expect(chunks(messages, "a", textBlock("Hello!"))).toEqual(["a: !"]);
  });

  it.each([
    ["other text", [textBlock("Bye")]],
    ["less text", [textBlock("Hell")]],
    ["other blocks", [textBlock("Hello"), image]],
  ])("is a new message with %s", (_, blocks) => {
    const messages = new ShownMessages();
    messages.append("agent_message", "a", textBlock("Hello"));
    const { chunks: shown, isReplaced } = messages.replace("agent_message", "a", blocks);
    expect(isReplaced).toBe(true);
    expect(shown.map(({ messageId }) => messageId)).toEqual(blocks.map(() => "a~2"));
  });

  it("that is cleared shows nothing, and what follows is a new message", () => {
    const messages = new ShownMessages();
    messages.append("agent_message", "a", textBlock("Hello"));
    expect(messages.replace("agent_message", "a", [])).toEqual({ chunks: [], isReplaced: true });
    expect(messages.append("agent_message", "a", textBlock("Again"))).toBe("a~2");
    expect(chunks(messages, "a", textBlock("Again and again"))).toEqual(["a~2:  and again"]);
    expect(chunks(messages, "a", textBlock("Once more"))).toEqual(["a~3: Once more"]);
  });

  it("is not the thought or the user's message with the same id", () => {
    const messages = new ShownMessages();
    messages.append("agent_thought", "a", textBlock("Hm"));
    messages.append("user_message", "a", textBlock("Hi"));
    expect(chunks(messages, "a", textBlock("Hello"))).toEqual(["a: Hello"]);
  });

  it("of a long text is compared by its beginning and its length", () => {
    const messages = new ShownMessages();
    const long = "x".repeat(100_000);
    for (let n = 0; n < 10; n++) messages.append("agent_message", "a", textBlock(long));
    expect(chunks(messages, "a", textBlock(`${long.repeat(10)}end`))).toEqual(["a: end"]);
    expect(chunks(messages, "a", textBlock(long))).toEqual([`a~2: ${long}`]);
  });
});

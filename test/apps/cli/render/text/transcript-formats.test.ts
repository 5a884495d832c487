import { describe, expect, it } from "vitest";
import { toUpdate } from "../../../../../src/protocol/acp/index.ts";
import {
  Transcript,
  type TranscriptFormat,
  htmlFormat,
  jsonFormat,
  MARKDOWN,
  PLAIN,
} from "../../../../../src/apps/cli/render/text/transcript.ts";

const head = { agent: "a", sessionId: "s" };

function written(format: TranscriptFormat, updates: readonly Record<string, unknown>[]): string {
  let text = "";
  const transcript = new Transcript(format, (piece) => (text += piece));
  for (const update of updates) transcript.add(toUpdate(update));
  transcript.end();
  return text;
}
const said = (who: "user" | "agent", text: string) => ({
  sessionUpdate: `${who}_message_chunk`,
  content: { type: "text", text },
});
const tool = { sessionUpdate: "tool_call", toolCallId: "t", title: "Run <x>", status: "completed" };

describe("a conversation without messages", () => {
  it.each([
    ["text", PLAIN, ""],
    ["Markdown", MARKDOWN, ""],
    ["JSON", jsonFormat(head), '{"v":1,"agent":"a","sessionId":"s","messages":[\n]}\n'],
  ])("is valid as %s", (_name, format, text) => {
    expect(written(format, [])).toBe(text);
  });
});

describe("JSON", () => {
  it("has every message, in pieces or not", () => {
    const updates = [said("user", 'a "q"\n'), said("agent", "b"), said("agent", "c"), tool];
    expect(JSON.parse(written(jsonFormat(head), [...updates, said("agent", "d")]))).toMatchObject({
      messages: [
        { role: "user", text: 'a "q"\n' },
        { role: "agent", text: "bc" },
        { role: "tool", title: "Run <x>", status: "completed" },
        { role: "agent", text: "d" },
      ],
    });
  });
  it("keeps a character whose halves are in two pieces", () => {
    const text = written(jsonFormat(head), [said("agent", "\ud83d"), said("agent", "\ude00")]);
    expect(JSON.parse(text)).toMatchObject({ messages: [{ text: "😀" }] });
  });
});

describe("HTML", () => {
  const evil = `</pre></section><script>alert("1")</script><img src=x onerror='alert(2)'>&amp;`;
  it("escapes everything", () => {
    const name = { agent: evil, sessionId: evil };
    const updates = [said("user", evil), said("agent", evil), { ...tool, title: evil }];
    const text = written(htmlFormat(name), updates);
    expect(text).not.toMatch(/<script|<img/);
    // The title, the heading, both messages and the tool.
    expect(text.match(/&lt;script&gt;/g)).toHaveLength(7);
    expect(text.match(/<pre>/g)).toHaveLength(2);
    expect(text.match(/<\/pre>/g)).toHaveLength(2);
  });
  it("lets nothing be loaded or run", () => {
    expect(written(htmlFormat(head), [])).toContain("default-src 'none'");
  });
});

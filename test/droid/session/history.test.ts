import { describe, expect, it } from "vitest";
import { readHistory } from "../../../src/droid/session/history.ts";
import { readMessage } from "../../../src/droid/protocol/messages.ts";
import type { JsonObject } from "../../../src/base/index.ts";

function history(...messages: readonly JsonObject[]): ReturnType<typeof readHistory> {
  return readHistory(messages.map(readMessage));
}

const text = (value: string): JsonObject => ({ type: "text", text: value });
const user = (id: string, ...content: JsonObject[]): JsonObject => ({ id, role: "user", content });
const model = (id: string, ...content: JsonObject[]): JsonObject => ({
  id,
  role: "assistant",
  content,
});
const call = (id: string): JsonObject => ({ type: "tool_use", id, name: "Execute", input: {} });

describe("the history of a session", () => {
  it("consists of turns, each with its prompt and the steps that followed", () => {
    const turns = history(
      user("1", text("one")),
      model("2", { type: "thinking", thinking: "hm" }, text("A")),
      user("3", text("two")),
      model("4", text("B")),
    );
    expect(turns.map(({ prompt, steps }) => [prompt?.text, steps.map(({ type }) => type)])).toEqual(
      [
        ["one", ["thinking", "text"]],
        ["two", ["text"]],
      ],
    );
  });

  it("puts each message after its parent, even if Droid lists it before", () => {
    const turns = history(
      { id: "2", parentId: "1", role: "assistant", content: [text("A")] },
      { id: "3", parentId: "2", role: "assistant", content: [text("B")] },
      { id: "1", parentId: "unknown", role: "user", content: [text("one")] },
      { id: "5", parentId: "4", role: "assistant", content: [text("C")] },
      { id: "4", parentId: "3", role: "user", content: [text("two")] },
    );
    expect(
      turns.map(({ prompt, steps }) => [prompt?.text, steps.map(({ messageId }) => messageId)]),
    ).toEqual([
      ["one", ["2", "3"]],
      ["two", ["5"]],
    ]);
  });

  it("keeps all messages, even if two are each other's parent", () => {
    const turns = history(
      { id: "1", parentId: "2", role: "assistant", content: [text("A")] },
      { id: "2", parentId: "1", role: "assistant", content: [text("B")] },
      { id: "3", parentId: "3", role: "assistant", content: [text("C")] },
    );
    expect(turns.flatMap(({ steps }) => steps)).toHaveLength(3);
  });

  it("adds results to tool calls, in the spelling of the protocol and of the session file", () => {
    const turns = history(
      user("1", text("go")),
      model("2", call("a"), call("b"), call("c")),
      {
        id: "3",
        role: "tool",
        content: [{ type: "tool_result", toolUseId: "a", content: "fine", isError: false }],
      },
      user("4", { type: "tool_result", tool_use_id: "b", content: "bad", is_error: true }),
    );
    expect(turns).toHaveLength(1);
    const results = turns[0]?.steps.map((step) => step.type === "tool_call" && step.result);
    expect(results).toEqual([
      { messageId: "3", content: "fine", isError: false },
      { messageId: "4", content: "bad", isError: true },
      undefined,
    ]);
    const dangling = turns[0]?.steps.map((step) => step.type === "tool_call" && step.dangling);
    expect(dangling).toEqual([false, false, true]);
  });

  it("distinguishes calls with the same id by their position", () => {
    const result = (content: string): JsonObject => ({
      type: "tool_result",
      toolUseId: "a",
      content,
      isError: false,
    });
    const turns = history(
      model("1", call("a")),
      { id: "2", role: "tool", content: [result("first"), result("first, again")] },
      model("3", call("a")),
      model("4", call("a")),
      { id: "5", role: "tool", content: [result("third")] },
    );
    const results = turns[0]?.steps.map((step) =>
      step.type === "tool_call" ? step.result?.content : "",
    );
    expect(results).toEqual(["first", undefined, "third"]);
  });

  it("leaves out hidden messages and reminders", () => {
    const reminder = text("<system-reminder>\nthe date</system-reminder>");
    const turns = history(
      { id: "context-1", role: "user", content: [text("x")], visibility: "llm_only" },
      user("1", reminder),
      user("2", reminder, text("hello")),
      { id: "3", role: "system", content: [text("y")], visibility: "llm_only" },
      { id: "4", role: "system", content: [text("An error")], visibility: "user_only" },
    );
    expect(turns.map(({ prompt }) => prompt?.text)).toEqual(["hello"]);
    expect(turns[0]?.steps).toEqual([{ type: "notice", messageId: "4", text: "An error" }]);
  });

  it("marks interrupted turns and hides the notes about the interrupt", () => {
    const note = (id: string, role: string, visibility: string, value: string): JsonObject => ({
      id,
      role,
      visibility,
      content: [text(value)],
    });
    const turns = history(
      user("1", text("go")),
      note("2", "user", "llm_only", "Request interrupted by user"),
      note("3", "user", "both", "Request cancelled by user"),
    );
    expect(turns).toMatchObject([{ prompt: { text: "go" }, steps: [], interrupted: true }]);
  });

  it("keeps the attachments of a prompt", () => {
    const [turn] = history(
      user(
        "1",
        { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } },
        { type: "document", source: { name: "a.pdf", mediaType: "application/pdf" } },
      ),
    );
    expect(turn?.prompt).toEqual({
      messageId: "1",
      text: "",
      images: [{ mediaType: "image/png", data: "AAAA" }],
      files: [{ name: "a.pdf", mediaType: "application/pdf" }],
    });
  });

  it("may start without a prompt", () => {
    expect(history({ id: "1", role: "assistant", content: "plain text" })).toEqual([
      {
        prompt: undefined,
        steps: [{ type: "text", messageId: "1", text: "plain text" }],
        interrupted: false,
      },
    ]);
  });
});

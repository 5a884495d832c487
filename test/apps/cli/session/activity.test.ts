import { describe, expect, it } from "vitest";
import { toUpdate } from "../../../../src/protocol/acp/index.ts";
import { Activity } from "../../../../src/apps/cli/session/turn.ts";

const chunk = (sessionUpdate: string) => ({ sessionUpdate, content: { type: "text", text: "x" } });
const tool = (toolCallId: string, status: string, title?: string) => ({
  sessionUpdate: title === undefined ? "tool_call_update" : "tool_call",
  toolCallId,
  status,
  title,
});

describe("the label of the spinner", () => {
  it.each([
    ["thinking", [chunk("agent_thought_chunk")], "thinking"],
    ["writing", [chunk("agent_thought_chunk"), chunk("agent_message_chunk")], "writing"],
    ["a running tool", [tool("a", "in_progress", "Run tests")], "Run tests"],
    [
      "no tool that has ended",
      [tool("a", "in_progress", "Run"), tool("a", "completed")],
      "waiting for x",
    ],
    [
      "no tool that has failed",
      [tool("a", "pending", "Run"), tool("a", "failed")],
      "waiting for x",
    ],
    [
      "the newest of several tools",
      [tool("a", "pending", "One"), tool("b", "pending", "Two")],
      "Two and 1 more",
    ],
    [
      "the other tool when one ends",
      [tool("a", "pending", "One"), tool("b", "pending", "Two"), tool("b", "completed")],
      "One",
    ],
    ["text that is safe", [tool("a", "pending", "evil\u001b[2J")], "evil␛[2J"],
  ])("is %s", (_what, updates, label) => {
    const activity = new Activity("waiting for x");
    expect(updates.map((raw) => activity.take(toUpdate(raw))).at(-1)).toBe(label);
  });
});

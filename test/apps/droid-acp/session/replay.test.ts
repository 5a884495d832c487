import { describe, expect, it } from "vitest";
import { replay } from "../../../../src/apps/droid-acp/session/replay.ts";
import { ToolIds } from "../../../../src/apps/droid-acp/turn/tool-relay.ts";
import type { HistoryTurn } from "../../../../src/entries/droid.ts";
import type { JsonObject } from "../../../../src/base/index.ts";
import { strictFaults } from "../../../support/schema.ts";

type ToolStep = Extract<HistoryTurn["steps"][number], { type: "tool_call" }>;

function toolCall(id: string, name: string, input: JsonObject, result?: string): ToolStep {
  return {
    type: "tool_call",
    messageId: "m",
    dangling: false,
    toolUse: { id, name, input },
    result: result === undefined ? undefined : { messageId: "r", content: result, isError: false },
  };
}

/** A turn that only calls a tool. */
function turnOf(step: ToolStep): HistoryTurn {
  return { prompt: undefined, steps: [step], interrupted: false };
}

describe("a replayed conversation", () => {
  it("shows prompts, thoughts, text, tool calls with results and the plan, but not notices", () => {
    const step = { messageId: "m" };
    const updates = [
      ...replay(
        [
          {
            prompt: {
              messageId: "u",
              text: "hi",
              images: [{ mediaType: undefined, data: "AA" }],
              files: [{ name: undefined, mediaType: undefined }],
            },
            steps: [
              { type: "thinking", ...step, text: "hm" },
              { type: "text", ...step, text: "so" },
              { type: "notice", ...step, text: "passing" },
              toolCall("1", "Read", { file_path: "a" }, "x"),
              toolCall("2", "TodoWrite", { todos: "1. [pending] a" }),
              toolCall("3", "Execute", { command: "c" }),
            ],
            interrupted: false,
          },
          { prompt: undefined, steps: [], interrupted: true },
        ],
        { cwd: "/w", firstLine: 1, markdownPlans: false },
        new ToolIds(),
      ),
    ];
    expect(updates.map((update) => update.sessionUpdate)).toEqual([
      "user_message_chunk",
      "user_message_chunk",
      "user_message_chunk",
      "agent_thought_chunk",
      "agent_message_chunk",
      "tool_call",
      "tool_call_update",
      "plan",
      "tool_call",
      "tool_call_update",
    ]);
    expect(updates.at(-1)).toMatchObject({ toolCallId: "3", status: "failed" });
    for (const update of updates) expect(strictFaults("SessionUpdate", update)).toEqual([]);
  });

  it("gives each tool call its own id, even if the model numbers its calls from one in every turn", () => {
    const turn = (content: string): HistoryTurn =>
      turnOf(toolCall("call_1", "Execute", { command: "c" }, content));
    const context = { cwd: "/w", firstLine: 1, markdownPlans: false } as const;
    const updates = [...replay([turn("a"), turn("b")], context, new ToolIds())];
    const calls = updates.map((update) => [
      update.sessionUpdate,
      "toolCallId" in update && update.toolCallId,
    ]);
    expect(calls).toEqual([
      ["tool_call", "call_1"],
      ["tool_call_update", "call_1"],
      ["tool_call", "call_1-2"],
      ["tool_call_update", "call_1-2"],
    ]);
  });

  it("shows an approved plan of spec mode as Markdown, to clients that support it", () => {
    const step = toolCall("c", "ExitSpecMode", { plan: "# P" });
    const turn = (isError: boolean): HistoryTurn =>
      turnOf({ ...step, result: { messageId: "r", content: "", isError } });
    const plans = (isError: boolean, markdownPlans: boolean): unknown[] =>
      [...replay([turn(isError)], { cwd: "/w", firstLine: 1, markdownPlans }, new ToolIds())]
        .filter(({ sessionUpdate }) => sessionUpdate === "plan_update")
        .map((update) => "plan" in update && update.plan);
    const plan = { type: "markdown", planId: "spec", content: "# P" };
    expect(plans(false, true)).toEqual([plan]);
    expect(plans(false, false)).toEqual([]);
    expect(plans(true, true)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { SubagentRelay } from "../../../../src/apps/droid-acp/turn/subagent-relay.ts";
import type { ToolCallEvent, ToolProgressEvent } from "../../../../src/entries/droid.ts";

const call = (id: string, name = "Task"): ToolCallEvent => ({
  type: "tool_call",
  id,
  name,
  input: { description: `job ${id}` },
  complete: true,
  phase: undefined,
  messageId: undefined,
});

const progress = (id: string, more: Partial<ToolProgressEvent>): ToolProgressEvent => ({
  type: "tool_progress",
  id,
  name: "Task",
  text: "",
  output: undefined,
  subagentSessionId: undefined,
  isError: false,
  raw: {},
  ...more,
});

const result = (id: string) =>
  ({ type: "tool_result", id, messageId: undefined, content: "x", isError: false }) as const;

const message = (id: string, text: string): ToolProgressEvent =>
  progress(id, { text, raw: { type: "message" } });

function relay(): { readonly subagents: SubagentRelay; readonly log: string[] } {
  const log: string[] = [];
  const subagents = new SubagentRelay({
    background: false,
    open: ({ title }, sessionId) => {
      log.push(`${sessionId} opens as ${title ?? ""}`);
      return Promise.resolve({
        describe: ({ state }) => {
          const reason = state && "stopReason" in state ? state.stopReason : undefined;
          log.push(`${sessionId} ${state?.state ?? ""} ${reason ?? ""}`);
          return Promise.resolve();
        },
        update: (update) => {
          const id = "messageId" in update ? update.messageId : undefined;
          log.push(`${sessionId} says ${id ?? ""}`);
          return Promise.resolve();
        },
      });
    },
  });
  return { subagents, log };
}

describe("the sub-agents of a turn", () => {
  it("are reported when they start, with each of their messages, until their calls have a result", async () => {
    const { subagents, log } = relay();
    subagents.call(call("a"));
    subagents.call(call("b"));
    await subagents.progress(progress("a", { subagentSessionId: "A" }));
    await subagents.progress(progress("b", { subagentSessionId: "B" }));
    await subagents.progress(progress("a", { subagentSessionId: "A", text: "status" }));
    await subagents.progress(message("a", "one"));
    await subagents.progress(message("a", " "));
    await subagents.progress(message("a", "two"));
    await subagents.result(result("a"));
    await subagents.result(result("a"));
    await subagents.settle();
    await subagents.settle();
    expect(log).toEqual([
      "A opens as job a",
      "B opens as job b",
      "A says a-1",
      "A says a-2",
      "A idle end_turn",
      "B idle cancelled",
    ]);
  });

  it("do not include other tools, and calls whose sub-agent has not started", async () => {
    const { subagents, log } = relay();
    subagents.call(call("a", "Execute"));
    subagents.call(call("b"));
    await subagents.progress(progress("a", { subagentSessionId: "A" }));
    await subagents.progress(message("b", "early"));
    await subagents.progress(message("unknown", "x"));
    await subagents.result(result("b"));
    await subagents.settle();
    expect(log).toEqual([]);
  });
});

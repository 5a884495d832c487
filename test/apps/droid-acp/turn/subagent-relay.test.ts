import { describe, expect, it } from "vitest";
import { SubagentRelay } from "../../../../src/apps/droid-acp/turn/event-relay.ts";
import type {
  ToolCallEvent,
  ToolProgressEvent,
  ToolResultEvent,
} from "../../../../src/droid/index.ts";
import { toolCall, toolProgress, toolResult } from "./events.ts";
import {
  activityAfter,
  subagentDetails,
} from "../../../../src/apps/droid-acp/turn/subagent-relay.ts";

const call = (id: string, name = "Task"): ToolCallEvent =>
  toolCall(name, { description: `job ${id}` }, { id });
const progress = (id: string, more: Partial<ToolProgressEvent>): ToolProgressEvent =>
  toolProgress("Task", "", { id, ...more });
const result = (id: string): ToolResultEvent => toolResult("x", false, id);

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

const running = { state: { state: "running" } };

describe("a sub-agent of Droid", () => {
  it.each([
    [
      { subagent_type: "worker", description: "Count", prompt: "p" },
      { title: "Count", description: "worker", ...running },
    ],
    [{ subagent_type: "worker" }, { title: "worker", description: "worker", ...running }],
    [{ description: "a\nb" }, { title: "a …", ...running }],
    [{ subagent_type: null, description: 1 }, running],
    [{}, running],
  ])("started with %j is described as %j", (input, details) => {
    expect(subagentDetails(input)).toEqual(details);
  });

  const ended = { input: {}, content: "text", isError: false, background: false };
  const done = { state: "idle", stopReason: "end_turn" };
  it.each([
    ["its work is done", ended, done],
    ["Droid waited for it", { ...ended, input: { await: true }, background: true }, done],
    ["it may still work in the background", { ...ended, background: true }, { state: "unknown" }],
    [
      "it failed",
      { ...ended, isError: true, background: true },
      { state: "idle", stopReason: "error", error: { code: -32603, message: "text" } },
    ],
  ])("has the right state when %s", (_, result, activity) => {
    expect(activityAfter(result)).toEqual(activity);
  });
});

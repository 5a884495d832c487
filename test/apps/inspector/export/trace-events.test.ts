import { describe, expect, it } from "vitest";
import { exportTraceEvents } from "../../../../src/apps/inspector/export/trace-events.ts";
import { modelOfFile, Script } from "../sessions.ts";

describe("a trace for Perfetto", () => {
  it("has pairs for turns, tool calls and requests, marks and counters", () => {
    const script = new Script().open().wait(1).prompt(2).wait(2);
    script
      .update("tool_call", { toolCallId: "t", title: "Edit" })
      .ask(5, "t")
      .wait(3)
      .choose(5, "no");
    script.update("tool_call_update", { toolCallId: "t", status: "failed" });
    script.update("usage_update", { used: 7, size: 9 });
    script
      .out({ method: "session/cancel", params: { sessionId: "s" } })
      .wait(1)
      .done(2, "cancelled");
    const { traceEvents } = exportTraceEvents(script.model);
    expect(traceEvents.map(({ ph, name, ts, id }) => [ph, name, ts, id])).toEqual([
      ["M", "process_name", 0, undefined],
      ["b", "turn 1", 1000, "turn-0"],
      ["b", "Edit", 3000, "tool-0"],
      ["b", "session/request_permission", 3000, "request-6"],
      ["i", "session/cancel", 6000, undefined],
      ["e", "Edit", 6000, "tool-0"],
      ["e", "session/request_permission", 6000, "request-6"],
      ["C", "context tokens", 6000, undefined],
      ["e", "turn 1", 7000, "turn-0"],
    ]);
    expect(new Set(traceEvents.map(({ pid }) => pid))).toEqual(new Set([1]));
  });

  it("has an end for every beginning, even of things that never ended", () => {
    const { traceEvents } = exportTraceEvents(modelOfFile("captures/goose-1.37.0.json.gz"));
    const open = new Map<string, number>();
    for (const { ph, cat = "", id = "" } of traceEvents) {
      if (ph === "b") open.set(cat + id, (open.get(cat + id) ?? 0) + 1);
      if (ph === "e") open.set(cat + id, (open.get(cat + id) ?? 0) - 1);
    }
    expect([...open.values()].every((count) => count === 0)).toBe(true);
    expect(open.size).toBeGreaterThan(10);
  });
});

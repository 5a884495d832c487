import { expect, it, describe } from "vitest";
import { timelineLanes } from "../../../../../src/apps/inspector/page/timeline/lanes.ts";
import { Script } from "../../sessions.ts";
import { timeScale } from "../../../../../src/apps/inspector/page/timeline/scale.ts";

it("puts calls that overlap on lines of their own, and names waits and cancellations", () => {
  const call = (toolCallId: string, status: string) => ({ toolCallId, title: toolCallId, status });
  const script = new Script().open().prompt(2);
  script.wait(10).update("tool_call", call("a", "in_progress"));
  script.wait(10).update("tool_call", call("b", "in_progress"));
  script.wait(10).update("tool_call_update", call("a", "completed"));
  script.wait(10).update("tool_call", call("c", "pending")).ask(7, "c");
  script.wait(100).choose(7, "once");
  script.out({ method: "session/cancel", params: { sessionId: "s" } });
  script.wait(5).done(2, "cancelled");
  const [lane] = timelineLanes(script.model);
  expect(lane?.lines).toEqual(["turns", "messages", "tools", "", "person"]);
  expect(
    lane?.bars.map(({ kind, label, line, fromMs, toMs }) => [kind, label, line, fromMs, toMs]),
  ).toEqual([
    ["turn", "turn 1", 0, 0, 145],
    ["cancel", "turn 1 cancelled", 0, 140, 140],
    ["tool", "a", 2, 10, 30],
    ["tool", "b", 3, 20, 145],
    ["tool", "c", 2, 40, 145],
    ["person", "session/request_permission", 4, 40, 140],
  ]);
});

describe("a scale with an idle time", () => {
  const scale = timeScale(0, 63_000, [{ fromMs: 1000, toMs: 61_000, after: 3 }]);

  it("folds it to a thirtieth of the active time", () => {
    expect(scale.length).toBe(3100);
    expect(scale.folds).toEqual([{ from: 1000, to: 1100, ms: 60_000 }]);
  });

  it.each([
    [0, 0],
    [1000, 1000],
    [31_000, 1050],
    [61_000, 1100],
    [63_000, 3100],
  ])("maps %i ms to %i and back", (ms, place) => {
    expect(scale.at(ms)).toBeCloseTo(place);
    expect(scale.msAt(place)).toBeCloseTo(ms);
  });

  it("keeps times outside at its ends", () => {
    expect([scale.at(-5), scale.at(1e9)]).toEqual([0, 3100]);
  });
});

it("a scale of no length does not divide by zero", () => {
  const scale = timeScale(5, 5, []);
  expect([scale.at(5), scale.msAt(0.5), scale.length].every(Number.isFinite)).toBe(true);
});

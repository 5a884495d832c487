import { expect, it } from "vitest";
import { timelineLanes } from "../../../../../src/apps/inspector/page/timeline/lanes.ts";
import { Script } from "../../sessions.ts";

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

import { describe, expect, it } from "vitest";
import { Foreground } from "../../../../src/protocol/translator/client/foreground.ts";

const states = (updates: readonly Record<string, unknown>[]): unknown[] =>
  updates.map(({ state }) => state);

function running(): Foreground {
  const foreground = new Foreground();
  foreground.started();
  return foreground;
}

describe("the state of a session", () => {
  it("is requires_action from the first question to the last answer", () => {
    const foreground = running();
    expect(states(foreground.asked(1, "a"))).toEqual(["requires_action"]);
    expect(states(foreground.asked(2, "b"))).toEqual([]);
    expect(states(foreground.answered(1))).toEqual([]);
    expect(states(foreground.answered(2))).toEqual(["running"]);
    expect(states(foreground.answered(2))).toEqual([]);
  });

  it("stays running while another call is in progress, until that call is over", () => {
    const foreground = running();
    expect(foreground.called("busy", "in_progress")).toEqual([]);
    expect(foreground.asked(1, "a")).toEqual([]);
    expect(states(foreground.called("busy", "completed"))).toEqual(["requires_action"]);
    expect(states(foreground.called("busy", "in_progress"))).toEqual(["running"]);
  });

  it("is requires_action for a question about no call, whatever is in progress", () => {
    const foreground = running();
    foreground.called("asks", "in_progress");
    expect(states(foreground.asked(1, undefined))).toEqual(["requires_action"]);
  });

  it("is not changed by a question while idle, or about background work", () => {
    expect(new Foreground().asked(1, "a")).toEqual([]);
    const foreground = running();
    foreground.reported({ background: [{ type: "tool_call", toolCallId: "b" }] });
    expect(foreground.asked(1, "b")).toEqual([]);
  });

  it("has the list of background work from the first report on", () => {
    const foreground = running();
    expect(foreground.current()).toEqual({ sessionUpdate: "state_update", state: "running" });
    const background = [{ type: "terminal", terminalId: "t" }];
    expect(foreground.reported({ background })).toMatchObject({ state: "running", background });
    expect(foreground.ended({ stopReason: "end_turn" })).toMatchObject({ background });
    expect(foreground.reported({ background: [] })).toMatchObject({
      state: "idle",
      background: [],
    });
    expect(foreground.started()).toMatchObject({ background: [] });
  });

  it("follows work that the agent starts by itself", () => {
    const foreground = new Foreground();
    expect(foreground.reported({ state: "running" })).toMatchObject({ state: "running" });
    expect(foreground.hasOwnWork).toBe(true);
    const ended = { state: "idle", stopReason: "refusal" };
    expect(foreground.reported(ended)).toMatchObject(ended);
    expect(foreground.hasOwnWork).toBe(false);
  });
});

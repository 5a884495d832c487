import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  newTurn,
  step,
  type TrackerAction,
  type TrackerSignal,
} from "../../src/droid/turn/turn-tracker.ts";
import type { DroidFailure } from "../../src/droid/protocol/failures.ts";

const failure: DroidFailure = {
  reason: "rate_limit",
  message: "429 slow down",
  name: "Error",
  status: 429,
};

const accepted: TrackerSignal = { type: "accepted" };
const echoed: TrackerSignal = { type: "echoed", messageId: "user-1" };
const working: TrackerSignal = { type: "state", state: "streaming_assistant_message" };
const executing: TrackerSignal = { type: "state", state: "executing_tool" };
const idle: TrackerSignal = { type: "state", state: "idle" };
const streaming: TrackerSignal = { type: "streaming", messageId: "m1" };
const message: TrackerSignal = { type: "message", messageId: "m1", callsTools: false };
const toolMessage: TrackerSignal = { type: "message", messageId: "m1", callsTools: true };
const nextMessage: TrackerSignal = { type: "message", messageId: "m2", callsTools: false };
const barrier: TrackerSignal = { type: "barrier" };
const interrupting: TrackerSignal = { type: "interrupting" };
const interrupted: TrackerSignal = { type: "interrupted" };
const failed: TrackerSignal = { type: "failed", failure };
const discarded: TrackerSignal = { type: "discarded" };

function completed(
  turnId: string,
  reason: "completed" | "cancelled" | "rate_limit" | "error",
): TrackerSignal {
  return { type: "completed", turnId, reason, usage: undefined };
}

/** Runs the signals; gives the actions that are not "none", and the reason of the end. */
function run(completesTurns: boolean | undefined, signals: readonly TrackerSignal[]): string[] {
  let state = newTurn("turn", completesTurns);
  const told: string[] = [];
  for (const [index, signal] of signals.entries()) {
    const next = step(state, signal);
    state = next.state;
    if (next.action === "none") continue;
    const reason = next.action === "end" ? ` ${state.outcome?.stopReason}` : "";
    told.push(`${index}:${next.action}${reason}`);
  }
  return told;
}

type Row = readonly [what: string, signals: readonly TrackerSignal[], told: readonly string[]];

describe("a turn of a version that completes turns", () => {
  const rows: readonly Row[] = [
    [
      "an error ends it with the reason of the failure before it, if there was one",
      [accepted, working, failed, completed("turn", "error")],
      ["3:end rate_limit"],
    ],
    ["an error alone is one", [accepted, working, completed("turn", "error")], ["2:end error"]],
    [
      "ends with the completion of its own id",
      [accepted, working, echoed, streaming, message, completed("turn", "completed"), idle],
      ["5:end completed"],
    ],
    [
      "ends with the completion of the id its message was given",
      [accepted, working, echoed, message, completed("user-1", "completed")],
      ["4:end completed"],
    ],
    [
      "tolerates a second completion",
      [accepted, working, completed("turn", "completed"), completed("turn", "cancelled"), idle],
      ["2:end completed"],
    ],
    [
      "is not ended by another turn's completion, but by its own hand-off after idle",
      [accepted, working, completed("other", "completed"), idle, completed("turn", "completed")],
      ["3:send-barrier", "4:end completed"],
    ],
    [
      "ends at the barrier if its completion never comes",
      [accepted, working, message, idle, barrier],
      ["3:send-barrier", "4:end completed"],
    ],
    [
      "goes on when work follows an idle before the barrier is answered",
      [accepted, working, idle, working, barrier, completed("turn", "completed")],
      ["2:send-barrier", "5:end completed"],
    ],
    [
      "has the reason of its completion after an interrupt",
      [accepted, working, interrupting, interrupted, completed("turn", "cancelled"), idle],
      ["4:end cancelled"],
    ],
    [
      "keeps the failure for its reason",
      [accepted, working, failed, completed("turn", "rate_limit")],
      ["3:end rate_limit"],
    ],
  ];
  it.each(rows)("%s", (_what, signals, told) => {
    expect(run(true, signals)).toEqual(told);
  });
});

describe("a turn of a version that only says idle", () => {
  const rows: readonly Row[] = [
    [
      "ends at idle when the answer is there",
      [accepted, working, echoed, streaming, message, idle],
      ["5:end completed"],
    ],
    [
      "is not ended by an idle from before it began",
      [accepted, idle, working, message, idle],
      ["4:end completed"],
    ],
    [
      "tolerates repeated states",
      [accepted, working, working, message, idle, idle],
      ["4:end completed"],
    ],
    [
      "waits at an early idle for the message that has streamed",
      [accepted, working, streaming, idle, message],
      ["3:send-barrier", "4:end completed"],
    ],
    [
      "waits at an early idle for a message that has not even streamed",
      [accepted, working, idle, message],
      ["2:send-barrier", "3:end completed"],
    ],
    [
      "ends at the barrier when no message follows an early idle",
      [accepted, working, streaming, idle, barrier],
      ["3:send-barrier", "4:end completed"],
    ],
    [
      "asks for one barrier only",
      [accepted, working, streaming, idle, idle, barrier],
      ["3:send-barrier", "5:end completed"],
    ],
    [
      "goes on when the message after an early idle calls a tool",
      [accepted, working, streaming, idle, toolMessage, executing, barrier, nextMessage, idle],
      ["3:send-barrier", "8:end completed"],
    ],
    [
      "ends at the barrier when a refused tool was the last thing",
      [accepted, working, toolMessage, executing, idle, barrier],
      ["4:send-barrier", "5:end completed"],
    ],
    [
      "ends at idle after an interrupt, whatever has streamed",
      [accepted, working, streaming, interrupting, interrupted, idle],
      ["5:end cancelled"],
    ],
    [
      "ends at idle after an error, whatever has streamed",
      [accepted, working, streaming, failed, idle],
      ["4:end rate_limit"],
    ],
    [
      "forgets a retracted message",
      [accepted, working, streaming, { type: "retracted", messageId: "m1" }, nextMessage, idle],
      ["5:end completed"],
    ],
    ["ends when its message is thrown away", [accepted, discarded], ["1:end discarded"]],
    [
      "is cancelled when its message is thrown away by an interrupt",
      [accepted, interrupting, discarded],
      ["2:end cancelled"],
    ],
  ];
  it.each(rows)("%s", (_what, signals, told) => {
    expect(run(false, signals)).toEqual(told);
    expect(run(undefined, signals)).toEqual(told);
  });
});

describe("an interrupt before Droid has begun", () => {
  it("ends the turn at the barrier if it never begins", () => {
    expect(run(false, [accepted, interrupting, interrupted, barrier])).toEqual([
      "2:send-barrier",
      "3:end cancelled",
    ]);
  });
  it("is repeated if the turn begins all the same", () => {
    expect(run(true, [accepted, interrupting, interrupted, working, interrupted])).toEqual([
      "2:send-barrier",
      "3:interrupt-again",
    ]);
  });
  it.each([
    ["shows the user's message", echoed],
    ["begins to answer", streaming],
  ])("is repeated if Droid, which said that it works, only then %s", (_, sign) => {
    expect(
      run(false, [accepted, working, interrupting, interrupted, sign, interrupted, idle]),
    ).toEqual(["4:interrupt-again", "6:end cancelled"]);
  });
});

it("keeps what Droid said of a prompt it threw away, as when a hook forbids it", () => {
  let state = newTurn("turn", true);
  for (const signal of [accepted, working, failed, idle, discarded])
    state = step(state, signal).state;
  expect(state.outcome).toMatchObject({ stopReason: "discarded", failure });
});

it("learns from the first completion that this version completes turns", () => {
  expect(
    run(undefined, [accepted, working, message, completed("other", "completed"), idle]),
  ).toEqual(["4:send-barrier"]);
});

describe("whatever happens", () => {
  const anySignal = fc.constantFrom(
    accepted,
    echoed,
    working,
    executing,
    idle,
    streaming,
    message,
    toolMessage,
    nextMessage,
    barrier,
    interrupting,
    interrupted,
    failed,
    discarded,
    completed("turn", "completed"),
    completed("other", "completed"),
  );
  it("a turn ends at most once, and one barrier is open at a time", () => {
    fc.assert(
      fc.property(fc.constantFrom(true, false, undefined), fc.array(anySignal), (how, signals) => {
        let state = newTurn("turn", how);
        let ends = 0;
        let open = 0;
        for (const signal of signals) {
          if (signal.type === "barrier") {
            // The tracker is told of barriers it asked for, and of no others.
            if (open === 0) continue;
            open--;
          }
          const next: { action: TrackerAction; state: typeof state } = step(state, signal);
          state = next.state;
          if (next.action === "end") ends++;
          if (next.action === "send-barrier") open++;
          expect(open).toBeLessThanOrEqual(1);
        }
        expect(ends).toBe(state.outcome ? 1 : 0);
      }),
    );
  });
  it("a begun turn that goes idle ends, at the latest when the barrier is answered", () => {
    fc.assert(
      fc.property(fc.constantFrom(true, false, undefined), fc.array(anySignal), (how, signals) => {
        let state = newTurn("turn", how);
        for (const signal of [...signals, accepted, working, idle, barrier])
          state = step(state, signal).state;
        expect(state.outcome).toBeDefined();
      }),
    );
  });
});

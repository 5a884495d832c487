import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  newTurn,
  step,
  type TrackerAction,
  type TrackerSignal,
} from "../../../src/droid/turn/turn-tracker.ts";
import type { DroidFailure } from "../../../src/droid/protocol/failures.ts";

const failure: DroidFailure = {
  reason: "rate_limit",
  message: "429 slow down",
  name: "Error",
  status: 429,
};

const SIGNALS = {
  accepted: { type: "accepted" },
  echoed: { type: "echoed", messageId: "user-1" },
  working: { type: "state", state: "streaming_assistant_message" },
  executing: { type: "state", state: "executing_tool" },
  idle: { type: "state", state: "idle" },
  streaming: { type: "streaming", messageId: "m1" },
  message: { type: "message", messageId: "m1", callsTools: false },
  toolMessage: { type: "message", messageId: "m1", callsTools: true },
  nextMessage: { type: "message", messageId: "m2", callsTools: false },
  retracted: { type: "retracted", messageId: "m1" },
  barrier: { type: "barrier" },
  interrupting: { type: "interrupting" },
  interrupted: { type: "interrupted" },
  failed: { type: "failed", failure },
  moderated: {
    type: "failed",
    failure: { ...failure, reason: "moderation", name: "LLMContentModerationError" },
  },
  discarded: { type: "discarded" },
  ...completions("turn", "other", "user-1"),
} satisfies Record<string, TrackerSignal>;

/** The ends of these turns with each reason, such as `turn=error`. */
function completions(...turnIds: readonly string[]): Record<string, TrackerSignal> {
  const reasons = ["completed", "cancelled", "rate_limit", "rejected", "error"] as const;
  const ends = turnIds.flatMap((turnId) =>
    reasons.map((reason): [string, TrackerSignal] => [
      `${turnId}=${reason}`,
      { type: "completed", turnId, reason, spent: undefined },
    ]),
  );
  return Object.fromEntries(ends);
}

const { accepted, working, failed, idle, discarded, barrier } = SIGNALS;
const signals: ReadonlyMap<string, TrackerSignal> = new Map(Object.entries(SIGNALS));

function signalsOf(names: string): TrackerSignal[] {
  return names.split(" ").map((name) => {
    const signal = signals.get(name);
    if (!signal) throw new Error(`there is no signal ${name}`);
    return signal;
  });
}

/** Runs the signals. Returns the actions other than "none", by the index of their signal, and the stop reason. */
function run(completesTurns: boolean | undefined, names: string): string {
  let state = newTurn("turn", completesTurns);
  const actions: string[] = [];
  for (const [index, signal] of signalsOf(names).entries()) {
    const next = step(state, signal);
    state = next.state;
    if (next.action === "none") continue;
    const reason = next.action === "end" ? ` ${state.outcome?.stopReason}` : "";
    actions.push(`${index}:${next.action}${reason}`);
  }
  return actions.join(", ");
}

describe("a turn in a version with agent_turn_completed", () => {
  const rows = {
    "ends with the reason of an earlier failure if its completion only has the reason error":
      "accepted working failed turn=error -> 3:end rate_limit",
    "ends with the reason error at the barrier if no failure is reported at all":
      "accepted working turn=error idle barrier -> 2:send-barrier, 4:end error",
    "ends with the reason of a failure that is reported after its completion":
      "accepted working turn=error failed idle barrier -> 2:send-barrier, 3:end rate_limit",
    "ends with the exact reason if the content filter of the model stopped it":
      "accepted working moderated turn=rejected -> 3:end moderation",
    "ends as completed if it went on after the content filter of the model":
      "accepted working moderated message turn=completed -> 4:end completed",
    "ends with the completion that has its own id":
      "accepted working echoed streaming message turn=completed idle -> 5:end completed",
    "ends with the completion that has the id of its echoed message":
      "accepted working echoed message user-1=completed -> 4:end completed",
    "tolerates a second completion":
      "accepted working turn=completed turn=cancelled idle -> 2:end completed",
    "ends with its own completion after idle, not with that of another turn":
      "accepted working other=completed idle turn=completed -> 3:send-barrier, 4:end completed",
    "ends at the barrier if its completion does not arrive":
      "accepted working message idle barrier -> 3:send-barrier, 4:end completed",
    "continues if Droid works again before the barrier is answered":
      "accepted working idle working barrier turn=completed -> 2:send-barrier, 5:end completed",
    "ends with the reason of its completion after an interrupt":
      "accepted working interrupting interrupted turn=cancelled idle -> 4:end cancelled",
    "ends with the reason of a failed completion":
      "accepted working failed turn=rate_limit -> 3:end rate_limit",
  };
  it.each(Object.entries(rows))("%s", (_name, row) => {
    const [names = "", expected] = row.split(" -> ");
    expect(run(true, names)).toBe(expected);
  });
});

describe("a turn in a version that only sends idle", () => {
  const rows = {
    "ends at idle if the answer is complete":
      "accepted working echoed streaming message idle -> 5:end completed",
    "does not end at an idle from before its start":
      "accepted idle working message idle -> 4:end completed",
    "tolerates repeated states": "accepted working working message idle idle -> 4:end completed",
    "waits at an early idle for the message that is streaming":
      "accepted working streaming idle message -> 3:send-barrier, 4:end completed",
    "waits at an early idle for a message that has not started to stream":
      "accepted working idle message -> 2:send-barrier, 3:end completed",
    "ends at the barrier if no message follows an early idle":
      "accepted working streaming idle barrier -> 3:send-barrier, 4:end completed",
    "sends only one barrier":
      "accepted working streaming idle idle barrier -> 3:send-barrier, 5:end completed",
    "continues if the message after an early idle calls a tool":
      "accepted working streaming idle toolMessage executing barrier nextMessage idle -> 3:send-barrier, 8:end completed",
    "ends at the barrier if a denied tool was the last step":
      "accepted working toolMessage executing idle barrier -> 4:send-barrier, 5:end completed",
    "ends at idle after an interrupt, even if a message is incomplete":
      "accepted working streaming interrupting interrupted idle -> 5:end cancelled",
    "ends at idle after an error, even if a message is incomplete":
      "accepted working streaming failed idle -> 4:end rate_limit",
    "forgets a retracted message":
      "accepted working streaming retracted nextMessage idle -> 5:end completed",
    "ends if Droid discards its message": "accepted discarded -> 1:end discarded",
    "ends as cancelled if an interrupt discards its message":
      "accepted interrupting discarded -> 2:end cancelled",
  };
  it.each(Object.entries(rows))("%s", (_name, row) => {
    const [names = "", expected] = row.split(" -> ");
    expect(run(false, names)).toBe(expected);
    expect(run(undefined, names)).toBe(expected);
  });
});

describe("an interrupt before Droid has started the turn", () => {
  it("ends the turn at the barrier if it never starts", () => {
    const actions = run(false, "accepted interrupting interrupted barrier");
    expect(actions).toBe("2:send-barrier, 3:end cancelled");
  });
  it("is repeated if the turn starts anyway", () => {
    const actions = run(true, "accepted interrupting interrupted working interrupted");
    expect(actions).toBe("2:send-barrier, 3:interrupt-again");
  });
  it.each([
    ["echoes the user message", "echoed"],
    ["starts to answer", "streaming"],
  ])("is repeated if Droid reported a working state but only then %s", (_name, sign) => {
    const names = `accepted working interrupting interrupted ${sign} interrupted idle`;
    expect(run(false, names)).toBe("4:interrupt-again, 6:end cancelled");
  });
});

describe("the turn tracker", () => {
  it("keeps the failure of a discarded prompt, such as one that a hook blocks", () => {
    let state = newTurn("turn", true);
    for (const signal of [accepted, working, failed, idle, discarded])
      state = step(state, signal).state;
    expect(state.outcome).toMatchObject({ stopReason: "discarded", failure });
  });

  it("learns from the first completion that this version sends completions", () => {
    const names = "accepted working message other=completed idle";
    expect(run(undefined, names)).toBe("4:send-barrier");
  });
});

describe("any sequence of signals", () => {
  const anySequence = fc.array(fc.constantFrom(...signals.values()));
  it("ends a turn at most once and keeps at most one barrier open", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(true, false, undefined),
        anySequence,
        (completesTurns, sequence) => {
          let state = newTurn("turn", completesTurns);
          let ends = 0;
          let open = 0;
          for (const signal of sequence) {
            if (signal.type === "barrier") {
              // The tracker only gets answers to barriers that it requested.
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
        },
      ),
    );
  });
  it("ends a started turn that becomes idle, at the latest when the barrier is answered", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(true, false, undefined),
        anySequence,
        (completesTurns, sequence) => {
          let state = newTurn("turn", completesTurns);
          for (const signal of [...sequence, accepted, working, idle, barrier])
            state = step(state, signal).state;
          expect(state.outcome).toBeDefined();
        },
      ),
    );
  });
});

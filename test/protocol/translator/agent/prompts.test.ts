import { describe, expect, it } from "vitest";
import {
  type EndedPrompt,
  PromptTracker,
} from "../../../../src/protocol/translator/agent/prompts.ts";

/**
 * The events of a session, in order: a prompt `1` is sent, refused or answered with the message `m1`, the
 * message `m1` is shown, or the state changes.
 */
type Event =
  | `${"sent" | "refused" | "answered" | "shown"} ${number}`
  | "running"
  | "requires_action"
  | "idle"
  | "_odd"
  | "idle again";

/** The prompts that each event ends, for the events that end one. */
function endings(events: readonly Event[]): readonly string[] {
  const tracker = new PromptTracker();
  return events.flatMap((event, index) => {
    const ended = take(tracker, event, index);
    return ended.length === 0
      ? []
      : [
          `${event}: ${ended.map(({ id, idle }) => `${String(id)} by ${String(idle["n"])}`).join()}`,
        ];
  });
}

function take(tracker: PromptTracker, event: Event, n: number): readonly EndedPrompt[] {
  const [what = "", id = ""] = event.split(" ");
  switch (what) {
    case "sent":
      tracker.sent(id);
      return [];
    case "refused":
      tracker.refused(id);
      return [];
    case "answered":
      return tracker.accepted(id, `m${id}`);
    case "shown":
      tracker.userMessage(`m${id}`);
      return [];
    default:
      return tracker.state({ state: what, n });
  }
}

const cases: readonly (readonly [string, readonly Event[], readonly string[]])[] = [
  [
    "in Claude's order: shown, answered, running",
    ["sent 1", "shown 1", "answered 1", "running", "idle"],
    ["idle: 1 by 4"],
  ],
  [
    "in Codex's order: running, shown, answered",
    ["sent 1", "running", "shown 1", "answered 1", "idle"],
    ["idle: 1 by 4"],
  ],
  [
    "answered before it is shown",
    ["sent 1", "answered 1", "running", "shown 1", "idle"],
    ["idle: 1 by 4"],
  ],
  [
    "answered after its work is over: then with the answer",
    ["sent 1", "shown 1", "running", "idle", "answered 1"],
    ["answered 1: 1 by 3"],
  ],
  [
    "answered late, with the idle state that followed its message, not a later one",
    ["sent 1", "shown 1", "running", "idle", "running", "idle", "answered 1"],
    ["answered 1: 1 by 3"],
  ],
  [
    "not by an idle state without work",
    ["sent 1", "shown 1", "answered 1", "idle", "idle again"],
    [],
  ],
  [
    "once, although the idle state is repeated",
    ["sent 1", "shown 1", "answered 1", "running", "idle", "idle again"],
    ["idle: 1 by 4"],
  ],
  [
    "by the idle state after a question",
    ["sent 1", "shown 1", "answered 1", "requires_action", "idle"],
    ["idle: 1 by 4"],
  ],
  [
    "by the idle state after an unknown state, which counts as busy",
    ["sent 1", "shown 1", "answered 1", "_odd", "idle"],
    ["idle: 1 by 4"],
  ],
  [
    "together with the one that it steers",
    ["sent 1", "shown 1", "answered 1", "running", "sent 2", "shown 2", "answered 2", "idle"],
    ["idle: 1 by 7,2 by 7"],
  ],
  [
    "after the one before it, if the agent holds it",
    [
      "sent 1",
      "shown 1",
      "answered 1",
      "running",
      "sent 2",
      "idle",
      "shown 2",
      "answered 2",
      "running",
      "idle",
    ],
    ["idle: 1 by 5", "idle: 2 by 9"],
  ],
  [
    "not by the end of other work before its message is shown",
    ["running", "sent 1", "idle", "shown 1", "answered 1", "running", "idle"],
    ["idle: 1 by 6"],
  ],
  [
    "by the first end of work after the answer, if the message is never shown",
    ["sent 1", "running", "answered 1", "idle"],
    ["idle: 1 by 3"],
  ],
  ["without it being shown or running: never", ["sent 1", "answered 1", "idle"], []],
  ["by the answer alone, if that is an error", ["sent 1", "running", "refused 1", "idle"], []],
  [
    "as the only one, if another is withdrawn",
    ["sent 1", "shown 1", "answered 1", "running", "sent 2", "refused 2", "idle"],
    ["idle: 1 by 6"],
  ],
  [
    "if it starts while the agent already works by itself",
    ["running", "sent 1", "shown 1", "answered 1", "idle"],
    ["idle: 1 by 4"],
  ],
  ["never, if it was never sent", ["answered 1", "running", "idle"], []],
];

describe("a prompt ends", () => {
  it.each(cases)("%s", (_, events, expected) => {
    expect(endings(events)).toEqual(expected);
  });
});

describe("a message of the user", () => {
  it("belongs to a prompt only while one is open", () => {
    const tracker = new PromptTracker();
    expect(tracker.userMessage("old")).toBe(false);
    tracker.sent(1);
    expect(tracker.userMessage("m1")).toBe(true);
    tracker.refused(1);
    expect(tracker.userMessage("m1")).toBe(false);
  });

  it("is forgotten after a thousand others", () => {
    const tracker = new PromptTracker();
    tracker.sent(1);
    for (let n = 0; n < 3000; n++) tracker.userMessage(`m${n}`);
    tracker.state({ state: "running" });
    tracker.state({ state: "idle" });
    // Like a message that was never shown.
    expect(tracker.accepted(1, "m0")).toEqual([]);
    tracker.state({ state: "running" });
    expect(tracker.state({ state: "idle" })).toMatchObject([{ id: 1 }]);
  });
});

it("a prompt counts as accepted from its answer to its end", () => {
  const tracker = new PromptTracker();
  tracker.sent(1);
  expect(tracker.isAccepted(1)).toBe(false);
  tracker.accepted(1, "m");
  expect(tracker.isAccepted(1)).toBe(true);
  tracker.state({ state: "running" });
  tracker.state({ state: "idle" });
  expect(tracker.isAccepted(1)).toBe(false);
});

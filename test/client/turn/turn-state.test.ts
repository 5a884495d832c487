import { describe, expect, it } from "vitest";
import type { TurnState } from "../../../src/client/session/session.ts";
import { nextTurnState, type TurnEvent } from "../../../src/client/turn/turn-state.ts";

const events: readonly TurnEvent[] = ["prompt", "update", "ask", "answer", "cancel", "end"];

/** One row per state: the next state for each event, in the order of `events`. */
const table: readonly (readonly [TurnState, readonly TurnState[]])[] = [
  ["idle", ["prompting", "idle", "idle", "idle", "idle", "idle"]],
  [
    "prompting",
    ["prompting", "streaming", "waiting_permission", "prompting", "cancelling", "idle"],
  ],
  [
    "streaming",
    ["streaming", "streaming", "waiting_permission", "streaming", "cancelling", "idle"],
  ],
  [
    "waiting_permission",
    [
      "waiting_permission",
      "waiting_permission",
      "waiting_permission",
      "streaming",
      "cancelling",
      "idle",
    ],
  ],
  ["cancelling", ["cancelling", "cancelling", "cancelling", "cancelling", "cancelling", "idle"]],
];

describe("the state of a turn", () => {
  it.each(
    table.flatMap(([from, row]) => events.map((event, index) => ({ from, event, to: row[index] }))),
  )("changes from $from to $to on $event", ({ from, event, to }) => {
    expect(nextTurnState(from, event)).toBe(to);
  });
});

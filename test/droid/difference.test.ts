import { expect, it } from "vitest";
import { eventDifferences, traitDifferences, traitsOf } from "../real/droid/difference.ts";
import { readTranscript } from "./transcript.ts";

it("finds nothing where nothing differs", () => {
  const traits = traitsOf(readTranscript("basic-turn-0.225.2"));
  expect(traitDifferences(traits, traits)).toEqual([]);
});

it("says what an older version lacks, in words", () => {
  const known = traitsOf(readTranscript("execute-permission-0.225.2"));
  const other = traitsOf(readTranscript("execute-permission-0.99.0"));
  expect(traitDifferences(known, other)).toEqual(
    expect.arrayContaining([
      "its protocol is 1.15.0, not 1.220.0",
      "not seen: notification agent_turn_completed",
      "confirmation exec lacks the fields: riskLevelReason",
    ]),
  );
  expect(traitDifferences(other, known)).toContain(
    "confirmation exec has more fields: riskLevelReason",
  );
});

it.each([
  [["a", "b"], ["a", "b"], []],
  [["a", "b"], ["a"], ["lacks: b"]],
  [["a"], ["a", "a", "c"], ["has more: a", "has more: c"]],
  [["a", "b"], ["b", "a"], ["has another order of events"]],
])("%j against %j", (known, other, told) => {
  expect(eventDifferences(known, other)).toEqual(told);
});

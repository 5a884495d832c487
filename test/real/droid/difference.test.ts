import { expect, it } from "vitest";
import { eventDifferences, groupDifferences, traitDifferences, traitsOf } from "./difference.ts";
import { readTranscript } from "../../droid/transcript.ts";

it("finds no difference between equal traits", () => {
  const traits = traitsOf(readTranscript("basic-turn-0.225.2"));
  expect(traitDifferences(traits, traits)).toEqual([]);
});

it("describes what an older version lacks", () => {
  const known = traitsOf(readTranscript("execute-permission-0.225.2"));
  const other = traitsOf(readTranscript("execute-permission-0.99.0"));
  expect(traitDifferences(known, other)).toEqual(
    expect.arrayContaining([
      "the protocol is 1.15.0, not 1.220.0",
      "not seen: notification agent_turn_completed",
      "confirmation exec lacks fields: riskLevelReason",
    ]),
  );
  expect(traitDifferences(other, known)).toContain(
    "confirmation exec has new fields: riskLevelReason",
  );
});

it.each([
  [["a", "b"], ["a", "b"], []],
  [["a", "b"], ["a"], ["lacks b"]],
  [["a"], ["a", "a", "c"], ["also has a", "also has c"]],
  [["a", "b"], ["b", "a"], ["has the events in a different order"]],
])("compares the events %j with %j", (known, other, expected) => {
  expect(eventDifferences(known, other)).toEqual(expected);
});

it("lists the differences of most scenarios once, and the rest by scenario", () => {
  const queued = (tool: string): string => `lacks tool_call ${tool} {"a":1} queued`;
  const { common, rest } = groupDifferences(
    new Map([
      ["one", ["lacks state thinking", queued("Read"), "lacks text", "lacks text"]],
      ["two", ["lacks state thinking", queued("Execute"), `also has ${"x".repeat(300)}`]],
      ["three", ["lacks state thinking", "lacks state thinking"]],
    ]),
  );
  expect(common).toEqual(["lacks state thinking", "lacks tool_call, queued"]);
  expect([...rest.keys()]).toEqual(["one", "two"]);
  expect(rest.get("one")).toEqual(["lacks text (2 times)"]);
  expect(rest.get("two")?.[0]).toHaveLength(141);
});

it("needs more than two scenarios to find common differences", () => {
  const { common, rest } = groupDifferences(
    new Map([
      ["one", ["a"]],
      ["two", ["a"]],
    ]),
  );
  expect(common).toEqual([]);
  expect(rest.size).toBe(2);
});

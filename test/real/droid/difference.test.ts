import { expect, it } from "vitest";
import { eventDifferences, inAll, traitDifferences, traitsOf } from "./difference.ts";
import { readTranscript } from "../../droid/transcript.ts";

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
  [["a", "b"], ["a"], ["lacks b"]],
  [["a"], ["a", "a", "c"], ["also has a", "also has c"]],
  [["a", "b"], ["b", "a"], ["has another order of events"]],
])("%j against %j", (known, other, told) => {
  expect(eventDifferences(known, other)).toEqual(told);
});

it("tells once what most scenarios have in common, and what is left by scenario", () => {
  const queued = (tool: string): string => `lacks tool_call ${tool} {"a":1} queued`;
  const { throughout, rest } = inAll(
    new Map([
      ["one", ["lacks state thinking", queued("Read"), "lacks text", "lacks text"]],
      ["two", ["lacks state thinking", queued("Execute"), `also has ${"x".repeat(300)}`]],
      ["three", ["lacks state thinking", "lacks state thinking"]],
    ]),
  );
  expect(throughout).toEqual(["lacks state thinking", "lacks tool_call, queued"]);
  expect([...rest.keys()]).toEqual(["one", "two"]);
  expect(rest.get("one")).toEqual(["lacks text (2 times)"]);
  expect(rest.get("two")?.[0]).toHaveLength(141);
});

it("counts nothing as common to two", () => {
  const { throughout, rest } = inAll(
    new Map([
      ["one", ["a"]],
      ["two", ["a"]],
    ]),
  );
  expect(throughout).toEqual([]);
  expect(rest.size).toBe(2);
});

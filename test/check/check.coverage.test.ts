import { describe, expect, it } from "vitest";
import { agentCases } from "../../src/check/agent/cases.ts";
import { requirementsFor } from "../../src/conformance/index.ts";
import { rulesOf } from "../../src/conformance/rules/rules.ts";
import { basicMutants, processMutants } from "../support/check/basic-mutants.ts";
import { modelMutants } from "../support/check/model-mutants.ts";

/** The run itself counts the bytes on stderr. */
const COUNTED = "ACP-STDERR-001";

/** How many cases and passive rules judge each id. */
function judges(protocol: 1 | 2): ReadonlyMap<string, number> {
  const active = agentCases(protocol).flatMap(({ ids }) => ids);
  const passive = rulesOf(protocol)
    .filter(({ side }) => side === "agent")
    .flatMap(({ ids }) => ids);
  const counts = new Map<string, number>([[COUNTED, 1]]);
  for (const id of [...active, ...passive]) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

describe.each([1, 2] as const)("the requirements for agents of version %i", (protocol) => {
  const requirements = requirementsFor("agent", protocol);

  it("have one judge each", () => {
    const counts = judges(protocol);
    const others = requirements.filter(({ id }) => counts.get(id) !== 1).map(({ id }) => id);
    expect(others).toEqual([]);
  });
  it("have a passive judge exactly where they say so", () => {
    const passive = new Set(rulesOf(protocol).flatMap(({ ids }) => ids)).add(COUNTED);
    const wrong = requirements.filter(
      ({ id, provoked }) => (provoked === "passive") !== passive.has(id),
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
});

it("every requirement for agents of version 1 has an agent that breaks it", () => {
  const broken = new Set(
    [...basicMutants, ...processMutants, ...modelMutants].flatMap(({ ids }) => ids),
  );
  const missing = requirementsFor("agent", 1)
    .filter(({ id, level }) => level !== "INFO" && !broken.has(id))
    .map(({ id }) => id);
  expect(missing).toEqual([]);
});

it("the names of cases are unique", () => {
  const names = agentCases(1).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

// Every requirement has one judge, a correct subject that passes it, and a subject that breaks it.
import { describe, expect, it } from "vitest";
import { agentCases } from "../../../src/conformance/check/agent/cases.ts";
import { CLIENT_CASES } from "../../../src/conformance/check/client/cases/cases.ts";
import { PASSIVE_IDS } from "../../../src/conformance/check/client/passive.ts";
import { judgedIds, requirementsFor } from "../../../src/conformance/index.ts";
import { agentMutants } from "../../support/check/agent-mutants.ts";
import { agentRigs } from "../../support/check/agent-rigs.ts";
import { clientMutants } from "../../support/check/client-mutants.ts";
import { correctAgents } from "../../support/check/correct-agents.ts";

/** The run itself counts the bytes on stderr. */
const COUNTED = "ACP-STDERR-001";

/** The judges of each side and version: an id appears once for each case or rule that judges it. */
const JUDGES = {
  agent: (protocol: 1 | 2) => [
    ...agentCases(protocol).flatMap(({ ids }) => ids),
    ...passiveOfAgents(protocol),
  ],
  client: (protocol: 1 | 2) => [
    ...CLIENT_CASES.filter((one) => (one.protocol ?? 1) === protocol).flatMap(({ ids }) => ids),
    ...PASSIVE_IDS,
  ],
};

function passiveOfAgents(protocol: 1 | 2): readonly string[] {
  const watched = judgedIds(protocol);
  const passive = requirementsFor("agent", protocol).filter(
    ({ provoked }) => provoked === "passive",
  );
  return [COUNTED, ...passive.map(({ id }) => id).filter((id) => watched.has(id))];
}

/** The ids that some mutant of a side and version breaks. */
const BROKEN = {
  agent: (protocol: 1 | 2) =>
    agentMutants
      .filter(({ rig }) => agentRigs[rig].protocol === protocol)
      .flatMap((one) => one.ids),
  client: (protocol: 1 | 2) =>
    clientMutants.filter((one) => one.protocol === protocol).map(({ id }) => id),
};

describe.each([
  ["agent", 1],
  ["agent", 2],
  ["client", 1],
  ["client", 2],
] as const)("every requirement for an %s of version %i", (side, protocol) => {
  const requirements = requirementsFor(side, protocol);
  const ids = requirements.map(({ id }) => id);

  it("has one judge", () => {
    expect(JUDGES[side](protocol).toSorted()).toEqual(ids.toSorted());
  });

  it("has a subject that breaks it, unless it is never judged", () => {
    const broken = new Set(BROKEN[side](protocol));
    const missing = requirements.filter(({ id, level }) => level !== "INFO" && !broken.has(id));
    expect(missing.map(({ id }) => id)).toEqual([]);
  });

  it("is known if a subject says that it breaks it", () => {
    expect(BROKEN[side](protocol).filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe.each([1, 2] as const)("every requirement for an agent of version %i", (protocol) => {
  const requirements = requirementsFor("agent", protocol);

  it("has a passive judge exactly where it says so", () => {
    const passive = new Set(passiveOfAgents(protocol));
    const wrong = requirements.filter(
      ({ id, provoked }) => (provoked === "passive") !== passive.has(id),
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  // test/conformance/check/check.correct.test.ts runs these agents. The library is the correct client for all.
  it("has a correct agent that passes it", () => {
    const correct = correctAgents(protocol);
    const wrong = requirements.filter(({ id }) => {
      const name = correct.get(id);
      return name === undefined || agentRigs[name].protocol !== protocol;
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
});

describe("the names", () => {
  it("of cases are unique", () => {
    const names = agentCases(1).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
  it("of defects are unique for each agent", () => {
    const names = agentMutants.map(({ rig, defect }) => `${rig}: ${defect}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

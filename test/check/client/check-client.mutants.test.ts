import { describe, expect, it } from "vitest";
import { clientMutants } from "../../support/check/client-mutants.ts";
import { requirementsFor } from "../../../src/conformance/index.ts";
import { CLIENT_CASES } from "../../../src/check/client/cases/cases.ts";
import { PASSIVE_IDS } from "../../../src/check/client/passive.ts";
import { clientRig } from "./rig.ts";

const requirements = [...requirementsFor("client", 1), ...requirementsFor("client", 2)];
const rig = clientRig();

describe("every requirement of clients", () => {
  it("has one judge", () => {
    const judged = [...CLIENT_CASES.flatMap(({ ids }) => ids), ...PASSIVE_IDS];
    expect(judged.toSorted()).toEqual([...new Set(requirements.map(({ id }) => id))].toSorted());
  });

  it("has a client that breaks it, unless it is never judged", () => {
    const broken = new Set(clientMutants.map(({ id }) => id));
    const missing = requirements.filter(({ id, level }) => level !== "INFO" && !broken.has(id));
    expect(missing).toEqual([]);
  });
});

describe("a client with a defect", () => {
  it.concurrent.each(clientMutants.map(({ id, defect }) => [id, defect] as const))(
    "breaks %s: %s",
    async (id, defect) => {
      const protocol = id.startsWith("DRC2") ? 2 : 1;
      const { results } = await rig.defect(defect, { ids: [id], protocol });
      const result = results.find((one) => one.id === id);
      expect(result).toMatchObject({ status: "failed" });
      expect(result?.expected).not.toBe("");
      expect(result?.actual).not.toBe("");
      expect(result?.frames).not.toEqual([]);
    },
    120_000,
  );
});

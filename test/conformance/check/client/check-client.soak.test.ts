import { describe, expect, it } from "vitest";
import { clientMutants, furtherClientMutants } from "../../../support/check/client-mutants.ts";
import { soak } from "../../../support/soak.ts";
import { clientRig, notPassed } from "./rig.ts";

const rig = clientRig();
const LIMIT_MS = 600_000;
const WHOLE = { repeats: true, floorMs: 3000 } as const;

// The ordinary run has test/conformance/check/client/check-client.mutants.test.ts instead.
describe.runIf(soak)("a whole run", () => {
  it.each([1, 2] as const)(
    "passes a client that keeps every rule of version %s",
    async (protocol) => {
      expect(notPassed(await rig.defect("none", { ...WHOLE, protocol }))).toEqual([]);
    },
    LIMIT_MS,
  );

  it.concurrent.each([...clientMutants, ...furtherClientMutants])(
    "of version $protocol finds nothing else in a client with the defect $defect",
    async ({ protocol, defect, id, also = [] }) => {
      const { results } = await rig.defect(defect, { ...WHOLE, protocol });
      const wrong = results.filter(({ status }) => status !== "passed" && status !== "untested");
      const found = wrong.map((one) => one.id);
      expect(found).toContain(id);
      expect(found.filter((one) => one !== id && !also.includes(one))).toEqual([]);
    },
    LIMIT_MS,
  );
});

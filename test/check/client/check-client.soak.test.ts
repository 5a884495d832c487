import { describe, expect, it } from "vitest";
import { clientMutants, furtherClientMutants } from "../../support/check/client-mutants.ts";
import { soak } from "../../support/soak.ts";
import { clientRig, notPassed } from "./rig.ts";

const rig = clientRig();
const LIMIT_MS = 600_000;
const WHOLE = { repeats: true, floorMs: 3000 } as const;

// The ordinary run has test/check/client/check-client.mutants.test.ts instead.
describe.runIf(soak)("a whole run", () => {
  it.each([1, 2] as const)(
    "passes a client that keeps every rule of version %s",
    async (protocol) => {
      expect(notPassed(await rig.defect("none", { ...WHOLE, protocol }))).toEqual([]);
    },
    LIMIT_MS,
  );

  it.each(
    [...clientMutants, ...furtherClientMutants].map(
      ({ id, defect, also = [] }) => [defect, [id, ...also]] as const,
    ),
  )(
    "finds the defect %s of a client, and nothing else",
    async (defect, ids) => {
      const protocol = ids[0]?.startsWith("DRC2") ? 2 : 1;
      const { results } = await rig.defect(defect, { ...WHOLE, protocol });
      const failed = results.filter(({ status }) => status === "failed" || status === "unstable");
      expect(failed.map(({ id }) => id)).toContain(ids[0]);
      expect(failed.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual([]);
    },
    LIMIT_MS,
  );
});

import { describe, expect, it } from "vitest";
import { clientMutants } from "../../../support/check/client-mutants.ts";
import { clientRig } from "./rig.ts";

const rig = clientRig();

describe("a client with a defect", () => {
  it.concurrent.each(clientMutants)(
    "of version $protocol breaks $id: $defect",
    async ({ protocol, id, defect }) => {
      const { results } = await rig.defect(defect, { ids: [id], protocol });
      const result = results.find((one) => one.id === id);
      expect(result).toMatchObject({ status: "failed" });
      expect(result?.expected).not.toBe("");
      expect(result?.actual).not.toBe("");
      expect(result?.frames).not.toEqual([]);
    },
    300_000,
  );
});

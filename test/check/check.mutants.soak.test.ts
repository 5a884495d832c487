import { describe, expect, it } from "vitest";
import { checkAgent } from "../../src/check/index.ts";
import { type BasicMutant, basicMutants } from "../support/check/basic-mutants.ts";
import { basicInProcess } from "../support/check/in-process.ts";
import { times } from "../support/soak.ts";

/** Requirements that cannot be judged anymore after the defect; they must not fail. */
async function failuresOf({ defect, withLogin = false }: BasicMutant): Promise<readonly string[]> {
  const options = withLogin ? { authMethod: "login", optIn: new Set(["logout"]) } : {};
  const switches = withLogin ? ["with-login", defect] : [defect];
  const { results } = await checkAgent({ subject: basicInProcess(...switches), ...options });
  return results
    .filter(({ status }) => status === "failed" || status === "unstable" || status === "fault")
    .map(({ id }) => id);
}

describe("a whole run over an agent with one defect", () => {
  it.each(basicMutants.slice(0, times(1, basicMutants.length)))(
    "finds only $ids for $defect",
    async (mutant) => {
      expect((await failuresOf(mutant)).toSorted()).toEqual(mutant.ids.toSorted());
    },
    120_000,
  );
});

import { describe, expect, it } from "vitest";
import { toPermissionChoices } from "../../../../src/protocol/acp/index.ts";
import { chooseOption } from "../../../../src/client/gate/permissions/policy.ts";

describe("chooseOption", () => {
  const options = (...kinds: string[]) =>
    toPermissionChoices(kinds.map((kind, i) => ({ optionId: `o${i}`, name: kind, kind })));

  it.each([
    ["allow", ["allow_always", "allow_once", "allow_once"], "o1"],
    ["allow", ["allow_always", "reject_once"], undefined],
    ["allow", ["allow", "allow_everything", ""], undefined],
    ["deny", ["allow_once", "reject_once", "reject_once"], "o1"],
    ["deny", ["allow_once", "reject_always"], undefined],
    ["deny", [], undefined],
    ["cancel", ["allow_once", "reject_once"], undefined],
    [{ optionId: "o0" }, ["allow_always"], "o0"],
    [{ optionId: "o0" }, ["something new"], "o0"],
    [{ optionId: "gone" }, ["allow_once"], undefined],
  ] as const)("for the decision %j among %j returns %s", (decision, kinds, chosen) => {
    expect(chooseOption(decision, options(...kinds))?.optionId).toBe(chosen);
  });
});

import { describe, expect, it } from "vitest";
import { readPermissionOptions } from "../../../../src/protocol/acp/index.ts";
import {
  PERMISSION_TABLE,
  POLICY_NAMES,
  chooseOption,
} from "../../../../src/client/gate/permissions/policy.ts";
import { readFileSync } from "node:fs";
import { TOOL_KINDS } from "../../../../src/protocol/acp/vocabulary.ts";

describe("chooseOption", () => {
  const options = (...kinds: string[]) =>
    readPermissionOptions(kinds.map((kind, i) => ({ optionId: `o${i}`, name: kind, kind })));

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

// The table in docs/security.md must match the one in the code.

const page = readFileSync(new URL("../../../../docs/security.md", import.meta.url), "utf8");

const rows = page
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));

describe("the table in docs/security.md", () => {
  it("has the policies in the order of the code", () => {
    const head = rows.find((cells) => cells[1] === "Tool kind");
    expect(head?.slice(2, -1)).toEqual(POLICY_NAMES);
  });

  it.each(TOOL_KINDS)("has the right row for %s", (kind) => {
    const printed = rows.find((cells) => cells[1] === kind)?.slice(2, -1);
    expect(printed).toEqual(POLICY_NAMES.map((policy) => PERMISSION_TABLE[policy][kind]));
  });
});

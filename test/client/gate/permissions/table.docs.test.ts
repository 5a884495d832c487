// The table in docs/security.md must match the one in the code.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PERMISSION_TABLE, POLICY_NAMES } from "../../../../src/client/gate/permissions/table.ts";
import { TOOL_KINDS } from "../../../../src/protocol/acp/vocabulary.ts";

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

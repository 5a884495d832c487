import { expect, it } from "vitest";
import { selectIds, SelectionError } from "../../../src/conformance/check/selection.ts";

const all = [
  { id: "ACP-INIT-001", area: "initialize" },
  { id: "ACP-INIT-002", area: "initialize" },
  { id: "DRA-CAN-01", area: "cancel" },
  { id: "DRA-CAN-02", area: "cancel" },
];
const chosen = (only: readonly string[], skip: readonly string[] = []) => [
  ...selectIds(all, { only, skip }),
];

it.each([
  [
    "everything without a word",
    [],
    [],
    ["ACP-INIT-001", "ACP-INIT-002", "DRA-CAN-01", "DRA-CAN-02"],
  ],
  ["an id", ["DRA-CAN-01"], [], ["DRA-CAN-01"]],
  ["an id in small letters", ["dra-can-01"], [], ["DRA-CAN-01"]],
  ["an area", ["cancel"], [], ["DRA-CAN-01", "DRA-CAN-02"]],
  ["a pattern for ids", ["ACP-*"], [], ["ACP-INIT-001", "ACP-INIT-002"]],
  ["one character", ["ACP-INIT-00?"], [], ["ACP-INIT-001", "ACP-INIT-002"]],
  ["a pattern for areas", ["init*"], [], ["ACP-INIT-001", "ACP-INIT-002"]],
  ["less than an area", ["cancel"], ["DRA-CAN-01"], ["DRA-CAN-02"]],
  ["all but an area", [], ["initialize"], ["DRA-CAN-01", "DRA-CAN-02"]],
  ["several words", ["DRA-CAN-02", "ACP-INIT-001"], [], ["ACP-INIT-001", "DRA-CAN-02"]],
])("a selection can name %s", (_what, only, skip, ids) => {
  expect(chosen(only, skip)).toEqual(ids);
});

it.each(["ACP-INIT", "canc", "X-*", "", "a.c", "["])("the word %j names nothing", (word) => {
  expect(() => chosen([word])).toThrow(SelectionError);
  expect(() => chosen([], [word])).toThrow(`${JSON.stringify(word)} is neither`);
});

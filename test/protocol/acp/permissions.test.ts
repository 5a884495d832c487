import { expect, test } from "vitest";

import { toPermissionChoices } from "../../../src/protocol/acp/index.ts";

test("an unknown kind of a permission option reads as unknown, never as a guess", () => {
  const options = [
    { optionId: "a", name: "A", kind: "allow_once" },
    { optionId: "b", name: "Allow everything", kind: "allow" },
  ];
  expect(toPermissionChoices(options)).toEqual([
    { optionId: "a", name: "A", kind: "allow_once", raw: options[0] },
    { optionId: "b", name: "Allow everything", kind: "unknown", raw: options[1] },
  ]);
});

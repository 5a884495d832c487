import { expect, test } from "vitest";

import { nameValueList } from "../../../../src/protocol/acp/index.ts";

test("nameValueList converts a map and returns other values unchanged", () => {
  expect(nameValueList({ A: "1" })).toEqual([{ name: "A", value: "1" }]);
  expect(nameValueList({})).toEqual([]);
  expect(nameValueList(undefined)).toBeUndefined();
});

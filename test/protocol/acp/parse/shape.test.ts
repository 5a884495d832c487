import { expect, test } from "vitest";

import { isAbsolutePath } from "../../../../src/protocol/acp/index.ts";

test.each<[unknown, boolean]>([
  ["/", true],
  ["/a/b", true],
  ["C:\\a", true],
  ["c:/a", true],
  ["\\\\server\\share", true],
  ["", false],
  ["a", false],
  ["./a", false],
  ["~/a", false],
  ["C:a", false],
  ["/a\0b", false],
  ["file:///a", false],
  [undefined, false],
])("isAbsolutePath(%j) is %s", (path, expected) => {
  expect(isAbsolutePath(path)).toBe(expected);
});

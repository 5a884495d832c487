import { expect, it } from "vitest";
import { isOlder } from "../../../../src/apps/cli/warm/reach.ts";

it.each([
  ["1.0.0", "1.0.1", true],
  ["1.9.0", "1.10.0", true],
  ["1.0.0-rc.1", "1.0.0", true],
  ["0.9.9", "1.0.0-rc.1", true],
  ["1.0.0", "1.0.0", false],
  ["1.0.0", "1.0.0-rc.1", false],
  ["2.0.0", "1.99.99", false],
])("%s is older than %s: %s", (version, than, isSo) => {
  expect(isOlder(version, than)).toBe(isSo);
});

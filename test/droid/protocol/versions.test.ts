import { describe, expect, it } from "vitest";
import {
  capabilitiesOf,
  compareVersions,
  testedRange,
} from "../../../src/droid/protocol/versions.ts";

describe("the capabilities of Droid", () => {
  it.each([
    ["0.225.2", "1.220.0", true, true, "levels", true, true],
    ["0.215.0", "1.206.0", true, true, "levels", true, true],
    ["0.117.0", "1.32.0", false, false, "levels", false, true],
    ["0.99.0", "1.15.0", false, false, "levels", false, true],
    ["0.150.0", "1.100.0", undefined, false, "levels", true, true],
    ["0.300.0", "2.0.0", true, true, "levels", true, true],
    ["0.57.14", undefined, false, false, "levels-as-modes", false, false],
    ["0.36.2", undefined, false, false, "levels-as-modes", false, false],
    ["0.80.0", undefined, false, false, "modes", false, false],
    ["0.99.0", undefined, false, false, "levels", false, true],
    [undefined, "1.220.0", true, true, "levels", true, true],
    [undefined, undefined, undefined, false, "levels", true, true],
  ] as const)(
    "%s with protocol %s are known",
    (cli, protocol, completesTurns, errorsNameTheirCall, settings, mcp, loadsDirectly) => {
      expect(capabilitiesOf({ cli, protocol })).toMatchObject({
        completesTurns,
        errorsNameTheirCall,
        settings,
        startsMcpServers: mcp,
        loadsDirectly,
      });
    },
  );
});

describe("the tested range", () => {
  it.each([
    ["0.225.2", "tested"],
    ["0.99.0", "tested"],
    ["0.150.0", "inside"],
    ["0.225.3", "newer"],
    ["1.0.0", "newer"],
    ["0.57.14", "older"],
    [undefined, "unknown"],
  ])("of %s is %s", (cli, range) => {
    expect(testedRange(cli)).toBe(range);
  });
});

it.each([
  ["0.9.0", "0.99.0", -1],
  ["0.225.2", "0.225.10", -1],
  ["1.0", "1.0.0", 0],
  ["0.100.0-beta", "0.100.0", 0],
  ["2", "1.9.9", 1],
])("compareVersions(%s, %s) has the sign %d", (left, right, sign) => {
  expect(Math.sign(compareVersions(left, right))).toBe(sign);
});

import { describe, expect, it } from "vitest";
import { readFailure, readStopReason } from "../../src/droid/protocol/failures.ts";
import { capabilitiesOf, compareVersions, testedRange } from "../../src/droid/protocol/versions.ts";

describe("what a version can do", () => {
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
    "%s with protocol %s",
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

describe("where a version stands among the tested ones", () => {
  it.each([
    ["0.225.2", "tested"],
    ["0.99.0", "tested"],
    ["0.150.0", "inside"],
    ["0.225.3", "newer"],
    ["1.0.0", "newer"],
    ["0.57.14", "older"],
    [undefined, "unknown"],
  ])("%s is %s", (cli, range) => {
    expect(testedRange(cli)).toBe(range);
  });
});

it.each([
  ["0.9.0", "0.99.0", -1],
  ["0.225.2", "0.225.10", -1],
  ["1.0", "1.0.0", 0],
  ["0.100.0-beta", "0.100.0", 0],
  ["2", "1.9.9", 1],
])("%s against %s", (left, right, sign) => {
  expect(Math.sign(compareVersions(left, right))).toBe(sign);
});

describe("why a turn failed", () => {
  it.each([
    ["401 no key", undefined, "authentication"],
    ["403 not yours", undefined, "authentication"],
    ["402 pay first", undefined, "usage_exhausted"],
    ["429 mock error 429", undefined, "rate_limit"],
    ["400 bad request", undefined, "rejected"],
    ["413 too long", undefined, "rejected"],
    ["500 mock error 500", undefined, "unavailable"],
    ["503 busy", undefined, "unavailable"],
    ["No access token available", "AuthenticationError", "authentication"],
    ["Connection error.", undefined, "unavailable"],
    ["took too long", "TimeoutError", "unavailable"],
    ["something else", "Error", "error"],
    ["4000 is not a status", "Error", "error"],
  ])("%s is %s", (message, name, reason) => {
    expect(readFailure({ message, error: { name, message } }).reason).toBe(reason);
  });
  it.each([
    ["completed", "completed"],
    ["spec_handoff", "completed"],
    ["cancelled", "cancelled"],
    ["model_authentication_failed", "authentication"],
    ["model_rate_limited", "rate_limit"],
    ["model_usage_exhausted", "usage_exhausted"],
    ["model_request_rejected", "rejected"],
    ["model_provider_unavailable", "unavailable"],
    // 0.225.2, when nothing listens at the model's address.
    ["model_provider_unreachable", "unavailable"],
    ["process_exit", "process_exit"],
    ["something_new", "error"],
  ])("the turn reason %s is %s", (reason, meaning) => {
    expect(readStopReason(reason)).toBe(meaning);
  });
});

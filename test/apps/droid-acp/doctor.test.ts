import { describe, expect, it } from "vitest";
import {
  accessCheck,
  couldWork,
  report,
  versionCheck,
} from "../../../src/apps/droid-acp/doctor.ts";
import { models } from "./droid-settings.ts";

describe("the doctor", () => {
  it.each([
    ["0.225.2", "ok"],
    ["0.200.0", "ok"],
    ["9.0.0", "warning"],
    ["0.50.0", "warning"],
    [undefined, "warning"],
  ] as const)("rates version %s as %s", (version, result) => {
    expect(versionCheck(version).result).toBe(result);
  });
  it.each([
    ["custom:Mock-0", false, undefined, "ok"],
    ["big", true, undefined, "ok"],
    ["big", false, undefined, "failed"],
    ["big", true, "other", "failed"],
  ] as const)(
    "rates model %s with login %s and requested model %s as %s",
    (model, login, requested, result) => {
      expect(accessCheck({ model }, models, login, requested).result).toBe(result);
    },
  );
  it("reports what to do", () => {
    const failed = accessCheck({ model: "big" }, [], false, undefined);
    expect(report([failed])).toMatch(/FAIL {2}access[^]*customModels[^]*will not work yet/);
    expect(couldWork([failed])).toBe(false);
    expect(couldWork([{ name: "x", result: "warning", message: "" }])).toBe(true);
  });
});

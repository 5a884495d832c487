import { describe, expect, it } from "vitest";
import {
  configOptions,
  findModel,
  optionChange,
  unmetSettings,
  modeChange,
  modeOf,
  modeState,
} from "../../../../src/apps/droid-acp/session/config.ts";
import { readSettings } from "../../../../src/droid/protocol/settings.ts";
import { strictFaults } from "../../../support/schema.ts";
import { models, settings } from "../droid-settings.ts";

describe("config options", () => {
  it("are mode, model and reasoning effort, and match the schema", () => {
    const options = configOptions(settings({ autonomyLevel: "low" }), models);
    expect(options.map(({ id, currentValue }) => [id, currentValue])).toEqual([
      ["mode", "low"],
      ["model", "big"],
      ["reasoning_effort", "high"],
    ]);
    for (const option of options) expect(strictFaults("SessionConfigOption", option)).toEqual([]);
  });

  it("include the current value, even if Droid does not list it", () => {
    const options = configOptions(
      settings({ modelId: "custom:mock-1", reasoningEffort: "odd" }),
      models,
    );
    for (const option of options) {
      const values =
        option.type === "select"
          ? option.options.map((one) => ("value" in one ? one.value : ""))
          : [];
      expect(values).toContain(option.currentValue);
    }
  });

  it("leave out unknown settings", () => {
    expect(configOptions(readSettings({}), []).map(({ id }) => id)).toEqual(["mode"]);
  });

  it.each([
    ["mode", "spec", { interactionMode: "spec" }],
    ["mode", "bogus", undefined],
    ["model", "big", { model: "big" }],
    ["reasoning_effort", "low", { reasoningEffort: "low" }],
    ["model", true, undefined],
    ["nothing", "x", undefined],
  ] as const)("translate %s set to %s", (id, value, change) => {
    expect(optionChange(id, value)).toEqual(change);
  });

  it("find a model by any of its names", () => {
    expect(findModel("big", models)?.id).toBe("big");
    expect(findModel("custom:mock-1", models)?.id).toBe("custom:Mock-0");
    expect(findModel("other", models)).toBeUndefined();
    expect(findModel(undefined, models)).toBeUndefined();
  });

  it("request only settings that differ from the current ones", () => {
    const requested = {
      model: "big",
      reasoningEffort: "low",
      autonomy: "off",
      interactionMode: "auto",
    } as const;
    const actual = settings({ autonomyLevel: "off", interactionMode: "auto" });
    expect(unmetSettings(requested, actual)).toEqual({ reasoningEffort: "low" });
    expect(unmetSettings({}, actual)).toEqual({});
  });
});

describe("the modes of a session", () => {
  it.each([
    [{ interactionMode: "spec", autonomyLevel: "high" }, "spec"],
    [{ interactionMode: "auto", autonomyLevel: "medium" }, "medium"],
    [{ interactionMode: "agi", autonomyLevel: "low" }, "low"],
    [{ autonomyMode: "auto-high" }, "high"],
    [{}, "off"],
  ])("map the settings %j to %s", (raw, mode) => {
    expect(modeOf(settings(raw))).toBe(mode);
  });

  it("are those that the organization allows, and the current one", () => {
    const state = modeState(
      settings({ autonomyLevel: "high", availableAutonomyLevels: ["off", "low"] }),
    );
    expect(state.availableModes.map(({ id }) => id)).toEqual(["spec", "off", "low", "high"]);
    expect(strictFaults("SessionModeState", state)).toEqual([]);
  });

  it("are set as autonomy and interaction mode of Droid", () => {
    expect(modeChange("spec")).toEqual({ interactionMode: "spec" });
    expect(modeChange("low")).toEqual({ interactionMode: "auto", autonomy: "low" });
  });
});

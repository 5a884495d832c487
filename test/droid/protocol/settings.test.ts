import { describe, expect, it } from "vitest";
import {
  readModel,
  ignoredSettings,
  mergeSettings,
  readSettings,
  settingsParams,
  type SettingsChange,
} from "../../../src/droid/protocol/settings.ts";
import type { SettingsDialect } from "../../../src/droid/protocol/versions.ts";

describe("the params for a change of settings", () => {
  it.each<[SettingsDialect, SettingsChange, object]>([
    ["levels", { autonomy: "low" }, { autonomyLevel: "low" }],
    [
      "levels",
      { autonomy: "high", interactionMode: "spec", model: "m", reasoningEffort: "low" },
      { autonomyLevel: "high", interactionMode: "spec", modelId: "m", reasoningEffort: "low" },
    ],
    ["levels", { specModel: "p" }, { specModeModelId: "p" }],
    ["levels-as-modes", { autonomy: "off" }, { autonomyLevel: "normal" }],
    ["levels-as-modes", { autonomy: "low" }, { autonomyLevel: "auto-low" }],
    ["levels-as-modes", { autonomy: "medium" }, { autonomyLevel: "auto-medium" }],
    ["levels-as-modes", { autonomy: "high", interactionMode: "spec" }, { autonomyLevel: "spec" }],
    ["levels-as-modes", { interactionMode: "auto" }, { autonomyLevel: "normal" }],
    ["modes", { autonomy: "high" }, { autonomyMode: "auto-high" }],
    ["modes", { interactionMode: "spec" }, { autonomyMode: "spec" }],
    ["modes", { model: "m" }, { modelId: "m" }],
    ["levels", {}, {}],
  ])("in the dialect %s for %j are %j", (dialect, change, params) => {
    expect(settingsParams(change, dialect)).toEqual(params);
  });
});

describe("settings from Droid", () => {
  it.each<[object, string | undefined, string | undefined]>([
    [{ autonomyLevel: "low", autonomyMode: "auto-low", interactionMode: "auto" }, "low", "auto"],
    [{ autonomyLevel: "high", autonomyMode: "spec", interactionMode: "spec" }, "high", "spec"],
    [{ autonomyLevel: "auto-medium" }, "medium", "auto"],
    [{ autonomyLevel: "spec" }, undefined, "spec"],
    [{ autonomyLevel: "normal" }, "off", "auto"],
    [{ autonomyMode: "auto-high" }, "high", "auto"],
    [{ autonomyMode: "spec" }, undefined, "spec"],
    [{ interactionMode: "no-such-mode" }, undefined, undefined],
    [{}, undefined, undefined],
  ])("%j are read as autonomy %s and interaction mode %s", (raw, autonomy, interactionMode) => {
    expect(readSettings({ ...raw })).toMatchObject({ autonomy, interactionMode });
  });

  it("keep the values that an update does not contain", () => {
    const known = readSettings({ modelId: "m", autonomyLevel: "low", interactionMode: "auto" });
    expect(mergeSettings(known, { autonomyLevel: "high" })).toMatchObject({
      model: "m",
      autonomy: "high",
      interactionMode: "auto",
    });
  });
});

describe("the report of ignored settings", () => {
  const actual = readSettings({
    modelId: "default",
    autonomyLevel: "off",
    interactionMode: "auto",
    reasoningEffort: "none",
  });
  const models = [readModel({ id: "default" }), readModel({ id: "other" })];
  it.each<[SettingsChange, string[]]>([
    [{ model: "default", autonomy: "off", interactionMode: "auto" }, []],
    [{ model: "no-such" }, ["model: no-such, but default (ignored)"]],
    [{ autonomy: "high" }, ["autonomy: high, but off (ignored)"]],
    [{ reasoningEffort: "high" }, ["reasoningEffort: high, but none (ignored)"]],
    [{ specModel: "p" }, []],
    [{}, []],
  ])("for %j is %j", (change, expected) => {
    const found = ignoredSettings(change, actual, models);
    expect(
      found.map((one) => `${one.setting}: ${one.requested}, but ${one.actual} (${one.kind})`),
    ).toEqual(expected);
  });

  it("includes a model that Droid accepts but does not list", () => {
    const accepted = readSettings({ modelId: "no-such" });
    expect(ignoredSettings({ model: "no-such" }, accepted, models)).toMatchObject([
      { setting: "model", kind: "unlisted" },
    ]);
    expect(ignoredSettings({ model: "other" }, readSettings({ modelId: "other" }), models)).toEqual(
      [],
    );
  });
  it("does not include own-key models, which have more names than the list shows", () => {
    const accepted = readSettings({ modelId: "custom:mine" });
    expect(ignoredSettings({ model: "custom:mine" }, accepted, models)).toEqual([]);
  });
  it("does not include the autonomy level in spec mode if the version has one field for both", () => {
    const spec = readSettings({ autonomyLevel: "spec" });
    expect(ignoredSettings({ autonomy: "low", interactionMode: "spec" }, spec)).toEqual([]);
  });
});

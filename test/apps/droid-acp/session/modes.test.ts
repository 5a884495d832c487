import { describe, expect, it } from "vitest";
import { modeChange, modeOf, modeState } from "../../../../src/apps/droid-acp/session/config.ts";
import { strictFaults } from "../../../support/schema.ts";
import { settings } from "../droid-settings.ts";

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

  it("are those that the organisation allows, and the current one", () => {
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

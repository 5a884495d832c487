import { readModel, readSettings } from "../../../src/droid/protocol/settings.ts";

/** A model of Factory, and an own-key model. */
export const models = [
  readModel({
    id: "big",
    displayName: "Big",
    supportedReasoningEfforts: ["low", "high"],
    isDeprecated: true,
  }),
  readModel({
    id: "custom:Mock-0",
    displayName: "Mock",
    supportedReasoningEfforts: ["none"],
    isCustom: true,
    noImageSupport: true,
  }),
];

/** The settings of a session, with defaults for model and reasoning effort. */
export function settings(raw: Record<string, unknown>) {
  return readSettings({ modelId: "big", reasoningEffort: "high", ...raw });
}

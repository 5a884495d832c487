import type { SessionConfigOption } from "../../../protocol/acp/index.ts";
import type { CallOptions } from "../../../transport/rpc/index.ts";
import type { Session } from "../../index.ts";
import { AcpModelError } from "../errors.ts";
import type { AcpModelSettings } from "../options.ts";

/** The id of the model that the agent chooses by itself. */
export const DEFAULT_MODEL = "default";

/**
 * Switches a session to the requested model, mode and options, where they differ from the current
 * ones. Rejects with AcpModelError for an unknown model, and with the errors of the session.
 */
export async function applySettings(
  session: Session,
  modelId: string,
  { mode, config = {} }: AcpModelSettings,
  options: CallOptions,
): Promise<void> {
  if (modelId !== DEFAULT_MODEL) await setModel(session, modelId, options);
  if (mode !== undefined) await setMode(session, mode, options);
  for (const [id, value] of Object.entries(config)) {
    if (session.configOptions?.find((option) => option.id === id)?.currentValue !== value) {
      await session.setConfigOption(id, value, options);
    }
  }
}

/** The model that a session uses; undefined if the agent does not say. */
export function currentModel({ configOptions }: Session): string | undefined {
  const value = optionOf(configOptions, "model")?.currentValue;
  return typeof value === "string" ? value : undefined;
}

async function setModel(session: Session, modelId: string, options: CallOptions): Promise<void> {
  const option = optionOf(session.configOptions, "model");
  const offered = option ? valuesOf(option) : [];
  if (!option || !offered.includes(modelId)) {
    const choice = offered.length === 0 ? "no choice of models" : `these: ${offered.join(", ")}`;
    throw new AcpModelError(
      modelId,
      "languageModel",
      `the agent does not offer the model "${modelId}"; it offers ${choice}; "${DEFAULT_MODEL}" always works`,
      offered,
    );
  }
  if (option.currentValue !== modelId) await session.setConfigOption(option.id, modelId, options);
}

/** Agents with options have the mode among them; the others have modes of their own. */
async function setMode(session: Session, mode: string, options: CallOptions): Promise<void> {
  const option = optionOf(session.configOptions, "mode");
  if (option) {
    if (option.currentValue !== mode) await session.setConfigOption(option.id, mode, options);
  } else if (session.modes?.currentModeId !== mode) await session.setMode(mode, options);
}

function optionOf(
  options: readonly SessionConfigOption[] | undefined,
  category: string,
): SessionConfigOption | undefined {
  return options?.find((option) => option.category === category);
}

function valuesOf(option: SessionConfigOption): string[] {
  if (option.type !== "select") return [];
  return option.options.flatMap((item) =>
    "options" in item ? item.options.map(({ value }) => value) : [item.value],
  );
}

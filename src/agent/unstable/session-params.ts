import {
  type Fault,
  type SessionArchiveFilter,
  type SessionInfo,
  type SystemPrompt,
  systemPromptFaults,
  toSystemPrompt,
} from "../../acp/index.ts";
import { invalidParams } from "../errors.ts";
import type { UnstableDefinition } from "./definition.ts";

/**
 * The instructions of a request to open a session. Without the switch they are ignored, as every
 * unknown field is. Throws -32602 for instructions that the agent does not accept: the protocol forbids
 * opening the session without them.
 */
export function systemPromptOf(
  params: { readonly systemPrompt?: unknown },
  { unstable, systemPrompt: accepted = false }: UnstableDefinition,
): SystemPrompt | undefined {
  const given = params.systemPrompt ?? undefined;
  if (unstable !== true || given === undefined) return undefined;
  if (accepted === false) {
    throw invalidParams({ path: "systemPrompt", message: "is not supported by this agent" });
  }
  const faults = systemPromptFaults(given);
  if (faults.length > 0) throw invalidParams(...faults);
  const prompt = toSystemPrompt(given);
  const modes = accepted !== true && accepted.override ? ["append", "override"] : ["append"];
  if (!prompt || !modes.includes(prompt.mode)) {
    const message = `must be one of ${modes.map((mode) => `"${mode}"`).join(", ")}`;
    throw invalidParams({ path: "systemPrompt.mode", message });
  }
  return prompt;
}

const FILTERS: readonly SessionArchiveFilter[] = ["exclude", "include", "only"];

/** Which sessions a client wants to list. Throws -32602 for a filter that the agent does not know. */
export function archiveFilterOf(
  params: { readonly archived?: unknown },
  { unstable, archiveSession }: UnstableDefinition,
): SessionArchiveFilter {
  const given = params.archived ?? undefined;
  if (unstable !== true || archiveSession === undefined || given === undefined) return "exclude";
  const filter = FILTERS.find((known) => known === given);
  if (filter !== undefined) return filter;
  const message = `must be one of ${FILTERS.map((known) => `"${known}"`).join(", ")}`;
  const fault: Fault = { path: "archived", message };
  throw invalidParams(fault);
}

/** A listed session. Without the switch, it does not say whether it is archived. Pure. */
export function listedSession(info: SessionInfo, unstable: boolean): SessionInfo {
  if (unstable || info.archived === undefined) return info;
  const { archived: _, ...rest } = info;
  return rest;
}

import {
  type Fault,
  type McpServer,
  mcpServerLacks,
  type SystemPrompt,
  systemPromptParamFaults,
  toSystemPromptParam,
  type SessionConfigOption,
} from "../../protocol/acp/index.ts";
import type { AgentDefinition, UnstableDefinition } from "../definition.ts";
import { advertised } from "../capabilities.ts";
import { invalidParams, notOneOf, mustBeOneOf } from "../errors.ts";
import { isFolder } from "./folder.ts";
import type { SessionWorkspace } from "./session.ts";

/** The params of a request to open a session that describe its workspace. */
export interface WorkspaceParams {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | null | undefined;
  readonly mcpServers?: readonly McpServer[] | null | undefined;
  readonly systemPrompt?: unknown;
}

/** Finds faults in a workspace that the type check does not cover. */
export async function workspaceFaults<S>(
  params: WorkspaceParams,
  definition: AgentDefinition<S>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  if (definition.localWorkspaces !== false && !(await isFolder(params.cwd))) {
    faults.push({ path: "cwd", message: "must be an existing folder" });
  }
  if (definition.additionalDirectories !== true && params.additionalDirectories?.length) {
    const message = "must be empty: this agent does not advertise additionalDirectories";
    faults.push({ path: "additionalDirectories", message });
  }
  const capabilities = advertised(definition);
  for (const [i, server] of (params.mcpServers ?? []).entries()) {
    const missing = mcpServerLacks(server, capabilities);
    if (missing !== undefined)
      faults.push({ path: `mcpServers[${i}].type`, message: `needs ${missing}` });
  }
  return faults;
}

export function toWorkspace(params: WorkspaceParams): SessionWorkspace {
  return {
    cwd: params.cwd,
    additionalDirectories: params.additionalDirectories ?? [],
    mcpServers: params.mcpServers ?? [],
  };
}

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
  const faults = systemPromptParamFaults(given);
  if (faults.length > 0) throw invalidParams(...faults);
  const prompt = toSystemPromptParam(given);
  const modes = accepted !== true && accepted.override ? ["append", "override"] : ["append"];
  if (!prompt || !modes.includes(prompt.mode)) throw notOneOf("systemPrompt.mode", modes);
  return prompt;
}

/** Describes why an option cannot take a value; undefined if it can. */
export function configValueFault(
  option: SessionConfigOption,
  value: string | boolean,
): string | undefined {
  if (option.type === "boolean") {
    return typeof value === "boolean" ? undefined : "must be a boolean, sent with type boolean";
  }
  const values = option.options.flatMap((item) =>
    "group" in item ? item.options.map((inner) => inner.value) : [item.value],
  );
  if (typeof value === "string" && values.includes(value)) return undefined;
  return mustBeOneOf(values);
}

import {
  type ContentBlock,
  type Fault,
  type McpServer,
  mcpServerLacks,
  promptBlockLacks,
  type SystemPrompt,
  systemPromptParamFaults,
  toSystemPromptParam,
  type SessionArchiveFilter,
  type SessionInfo,
  type SessionConfigOption,
} from "../../protocol/acp/index.ts";
import type { AgentDefinition, UnstableDefinition, SessionPage } from "../definition.ts";
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

/** Throws -32602 for content that the agent does not advertise. */
export function assertPromptSupported<S>(
  prompt: readonly ContentBlock[],
  definition: AgentDefinition<S>,
): void {
  const capabilities = advertised(definition);
  const faults = prompt.flatMap((block, i): Fault[] => {
    const missing = promptBlockLacks(block, capabilities);
    return missing === undefined
      ? []
      : [{ path: `prompt[${i}].type`, message: `needs ${missing}` }];
  });
  if (faults.length > 0) throw invalidParams(...faults);
}

const PAGE_SIZE = 50;

/**
 * Returns one page of a list, for `listSessions`. The cursor is a position in the list, which suits
 * lists that grow at their end. Throws -32602 for an invalid cursor.
 */
export function pageOf(
  sessions: readonly SessionInfo[],
  cursor: string | undefined,
  size: number = PAGE_SIZE,
): SessionPage {
  const start = cursor === undefined ? 0 : readCursor(cursor);
  if (start === undefined || start > sessions.length) {
    throw invalidParams({ path: "cursor", message: "is not a valid cursor for this list" });
  }
  const end = start + size;
  const page = sessions.slice(start, end);
  return end < sessions.length ? { sessions: page, nextCursor: `at-${end}` } : { sessions: page };
}

function readCursor(cursor: string): number | undefined {
  const position = /^at-(\d{1,9})$/.exec(cursor)?.[1];
  return position === undefined ? undefined : Number(position);
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
  throw notOneOf("archived", FILTERS);
}

/** A listed session. Without the switch, it does not say whether it is archived. Pure. */
export function listedSession(info: SessionInfo, unstable: boolean): SessionInfo {
  if (unstable || info.archived === undefined) return info;
  const { archived: _, ...rest } = info;
  return rest;
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

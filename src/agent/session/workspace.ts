import { stat } from "node:fs/promises";
import {
  type ContentBlock,
  type Fault,
  type McpServer,
  mcpServerLacks,
  promptBlockLacks,
} from "../../acp/index.ts";
import type { AgentDefinition } from "../definition.ts";
import { advertised } from "../capabilities.ts";
import { invalidParams } from "../errors.ts";
import type { SessionWorkspace } from "./session.ts";

/** The part of a setup request's params that says where the session is to work. */
export interface WorkspaceParams {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | null | undefined;
  readonly mcpServers?: readonly McpServer[] | null | undefined;
}

/** What is wrong with a place beyond its types. */
export async function workspaceFaults<S>(
  params: WorkspaceParams,
  definition: AgentDefinition<S>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  if (!(await isFolder(params.cwd))) {
    faults.push({ path: "cwd", message: "must be a folder that exists" });
  }
  if (definition.additionalDirectories !== true && params.additionalDirectories?.length) {
    const message = "must be empty: this agent does not advertise additionalDirectories";
    faults.push({ path: "additionalDirectories", message });
  }
  const capabilities = advertised(definition);
  for (const [i, server] of (params.mcpServers ?? []).entries()) {
    const lacking = mcpServerLacks(server, capabilities);
    if (lacking === undefined) continue;
    faults.push({ path: `mcpServers[${i}].type`, message: `needs ${lacking}` });
  }
  return faults;
}

/** A place that was found without fault. */
export function toWorkspace(params: WorkspaceParams): SessionWorkspace {
  return {
    cwd: params.cwd,
    additionalDirectories: params.additionalDirectories ?? [],
    mcpServers: params.mcpServers ?? [],
  };
}

/** Throws -32602 for content that the agent did not advertise. */
export function assertPromptTaken<S>(
  prompt: readonly ContentBlock[],
  definition: AgentDefinition<S>,
): void {
  const capabilities = advertised(definition);
  const faults = prompt.flatMap((block, i): Fault[] => {
    const lacking = promptBlockLacks(block, capabilities);
    return lacking === undefined
      ? []
      : [{ path: `prompt[${i}].type`, message: `needs ${lacking}` }];
  });
  if (faults.length > 0) throw invalidParams(...faults);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

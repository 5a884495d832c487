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
    if (missing === undefined) continue;
    faults.push({ path: `mcpServers[${i}].type`, message: `needs ${missing}` });
  }
  return faults;
}

/** Builds the workspace from params without faults. */
export function toWorkspace(params: WorkspaceParams): SessionWorkspace {
  return {
    cwd: params.cwd,
    additionalDirectories: params.additionalDirectories ?? [],
    mcpServers: params.mcpServers ?? [],
  };
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

import { agentHas, isAbsolutePath, type McpServer, type Update } from "../../acp/index.ts";
import { CapabilityError, InvalidArgumentError } from "../errors.ts";
import { toMcpServers, type McpServerConfig } from "./mcp-servers.ts";

export interface SessionOptions {
  /** Absolute. The session's working folder, and the first of its roots. */
  readonly cwd: string;
  /** Absolute. Further roots; for agents with `sessionCapabilities.additionalDirectories`. */
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServerConfig[];
  /** Goes out as `_meta`: what single agents want to know beyond the protocol. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Gives the call up. */
  readonly signal?: AbortSignal;
}

/** How to open a session the agent has kept. */
export interface StoredSessionOptions extends SessionOptions {
  readonly sessionId: string;
}

export interface LoadSessionOptions extends StoredSessionOptions {
  /**
   * Sees each replayed update as it comes, before the call resolves. The session's own stream keeps
   * only the last ones (`maxBuffered`), so this is how a long conversation is seen whole. What it
   * throws is ignored.
   */
  readonly onReplay?: (update: Update) => void;
  /**
   * For agents that answer before they have replayed everything, as Gemini CLI 0.61.0 does: what comes
   * is replay until nothing has come for so many milliseconds, and only then does the call resolve.
   * Without it the answer is the end of the replay.
   */
  readonly replaySilence?: number;
}

/** The params that `session/new`, `load`, `resume` and `fork` share. */
export interface SetupParams {
  readonly cwd: string;
  readonly mcpServers: McpServer[];
  readonly additionalDirectories?: string[];
  readonly _meta?: Record<string, unknown>;
}

/** Checks the options and gives the params. Throws InvalidArgumentError or CapabilityError. */
export function toSetupParams(
  method: string,
  options: SessionOptions,
  capabilities: unknown,
): SetupParams {
  const more = options.additionalDirectories ?? [];
  for (const folder of [options.cwd, ...more]) {
    if (!isAbsolutePath(folder)) {
      throw new InvalidArgumentError(`${method}: "${String(folder)}" is no absolute path`);
    }
  }
  const capability = "sessionCapabilities.additionalDirectories";
  if (more.length > 0 && !agentHas(capabilities, capability)) {
    throw new CapabilityError(`${method} with additionalDirectories`, capability);
  }
  return {
    cwd: options.cwd,
    mcpServers: toMcpServers(options.mcpServers ?? [], capabilities),
    ...(more.length === 0 ? {} : { additionalDirectories: [...more] }),
    ...(options.meta === undefined ? {} : { _meta: { ...options.meta } }),
  };
}

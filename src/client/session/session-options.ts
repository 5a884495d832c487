import {
  agentHas,
  isAbsolutePath,
  type McpServer,
  type RequestOptions,
  type Update,
} from "../../protocol/acp/index.ts";
import { CapabilityError, InvalidArgumentError } from "../errors.ts";
import type { SessionGateOptions } from "../gate/access.ts";
import { type McpServerConfig, type PlainMcpServer, toMcpServers } from "./mcp-servers.ts";
import type { UnstableSessionOptions } from "../unstable/options.ts";
import type { InProcessMcpServer } from "../unstable/mcp-server.ts";

/** How to open a session. */
export interface SessionOptions extends SessionGateOptions, RequestOptions, UnstableSessionOptions {
  /**
   * The session's working folder, and the first of its roots. An absolute path; on a server (`url`), it
   * may also be the name of one of the server's roots.
   */
  readonly cwd: string;
  /** More roots, as absolute paths. Needs `sessionCapabilities.additionalDirectories`. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /** The MCP servers that the agent connects to. Default: those of the client's configuration. */
  readonly mcpServers?: readonly McpServerConfig[] | undefined;
}

/** How to open a session that the agent has stored. */
export interface StoredSessionOptions extends SessionOptions {
  readonly sessionId: string;
}

/** How to open a stored session and get its history. */
export interface LoadSessionOptions extends StoredSessionOptions {
  /**
   * Receives each replayed update as it arrives, before the call resolves. The session's own stream
   * keeps only the last ones (`maxBuffered`), so use this to get the whole of a long conversation.
   * Errors that it throws are ignored.
   */
  readonly onReplay?: ((update: Update) => void) | undefined;
  /**
   * For agents that answer before they have replayed everything, as Gemini CLI 0.61.0 does. Updates
   * count as replay until none has arrived for this many milliseconds; then the call resolves. Without
   * it, the replay ends with the answer.
   */
  readonly replaySilence?: number | undefined;
}

/** The params that `session/new`, `load`, `resume` and `fork` share. */
export interface SetupParams {
  readonly cwd: string;
  readonly mcpServers: McpServer[];
  readonly additionalDirectories?: string[] | undefined;
}

/**
 * Checks the options and returns the params, with these MCP servers. `declare` returns the id of an MCP
 * server in this process. If the agent is on a server, this side does not know its folders.
 * Throws InvalidArgumentError or CapabilityError.
 */
export function toSetupParams(
  method: string,
  options: SessionOptions,
  capabilities: unknown,
  mcpServers: readonly PlainMcpServer[],
  declare: (server: InProcessMcpServer) => string,
  isRemote: boolean,
): SetupParams {
  const more = options.additionalDirectories ?? [];
  for (const folder of [options.cwd, ...more]) {
    const isName = isRemote && typeof folder === "string" && folder !== "";
    if (!isName && !isAbsolutePath(folder)) {
      throw new InvalidArgumentError(`${method}: "${String(folder)}" is not an absolute path`);
    }
  }
  const capability = "sessionCapabilities.additionalDirectories";
  if (more.length > 0 && !agentHas(capabilities, capability)) {
    throw new CapabilityError(`${method} with additionalDirectories`, capability);
  }
  return {
    cwd: options.cwd,
    mcpServers: toMcpServers(mcpServers, capabilities, declare),
    ...(more.length === 0 ? {} : { additionalDirectories: [...more] }),
  };
}

import {
  agentHas,
  type AuthStatus,
  type HttpHeader,
  isAbsolutePath,
  type McpServer,
  mcpServerLacks,
  type Meta,
  metaField,
  type NameValue,
  type RequestOptions,
  type SystemPrompt,
  type SystemPromptMode,
  type Update,
} from "../../protocol/acp/index.ts";
import { CapabilityError, InvalidArgumentError } from "../errors.ts";
import type { SessionGateOptions } from "../gate/access.ts";
import type { InProcessMcpServer } from "../unstable/mcp.ts";
import { assertCapability, type CapabilityHost } from "../calls.ts";
import type { ToolServer } from "../../tools/index.ts";
import { isList, merged, type OptionNames } from "../../base/index.ts";

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
  readonly replaySilenceMs?: number | undefined;
}

/** The options of `newSession`. */
export const SESSION_OPTIONS: OptionNames<SessionOptions> = {
  cwd: true,
  additionalDirectories: true,
  mcpServers: true,
  permissions: true,
  fs: true,
  terminal: true,
  elicitation: true,
  signal: true,
  meta: true,
  onMeta: true,
  systemPrompt: true,
};

/**
 * The options of `loadSession`. The other ways to open a stored session accept them as well, so that a
 * program can choose the way by the agent's capabilities.
 */
export const LOAD_OPTIONS: OptionNames<LoadSessionOptions> = /* @__PURE__ */ merged(
  SESSION_OPTIONS,
  { sessionId: true, onReplay: true, replaySilenceMs: true } as const,
);

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

/** The part of the client's configuration that concerns the unstable protocol. */
export interface UnstableConfig {
  /**
   * Uses the parts of the protocol that are not stable yet: advertises `plan` and `subagents`, reads
   * their updates, and allows the calls that say so. They may change in any release. Default: false.
   */
  readonly unstable?: boolean | undefined;
  /** Called when the agent reports that its sign-in state changed. Needs `unstable: true`. */
  readonly onAuthStatus?: ((status: AuthStatus) => void) | undefined;
}

/** Instructions for a session: text to add to the agent's own, or text with a mode. */
type SystemPromptInput =
  | string
  | {
      /** Default: `append`. `override` needs `sessionCapabilities.systemPrompt.mode.override`. */
      readonly mode?: SystemPromptMode | undefined;
      readonly text: string;
    };

/** The options of an opened session that concern the unstable protocol. */
export interface UnstableSessionOptions {
  /**
   * Instructions for the agent. Needs `unstable: true` and `sessionCapabilities.systemPrompt`. When
   * you load, resume or fork a session, give the same instructions again.
   */
  readonly systemPrompt?: SystemPromptInput | undefined;
}

/** The params for the options. Throws CapabilityError, or InvalidArgumentError for an empty text. */
export function toUnstableParams(
  method: string,
  { systemPrompt }: UnstableSessionOptions,
  host: CapabilityHost,
): { readonly systemPrompt?: SystemPrompt } {
  if (systemPrompt === undefined) return {};
  const { mode = "append", text } =
    typeof systemPrompt === "string" ? { text: systemPrompt } : systemPrompt;
  const what = `${method} with systemPrompt`;
  assertCapability(host, what, "sessionCapabilities.systemPrompt");
  if (mode === "override") {
    assertCapability(host, what, "sessionCapabilities.systemPrompt.mode.override");
  }
  if (text === "") throw new InvalidArgumentError(`${what}: the text is empty`);
  return { systemPrompt: { mode, content: [{ type: "text", text }] } };
}

/** Variables or headers, as a map or as the list that the protocol uses. */
type NamedValues = Readonly<Record<string, string>> | readonly NameValue[];

/** An MCP server that the agent starts as a process. Every agent supports this. */
interface StdioMcpServer {
  /** The transport. Default: `stdio`. */
  readonly type?: "stdio" | undefined;
  readonly name: string;
  /** The agent starts it, so an absolute path is safest. */
  readonly command: string;
  /** The arguments. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Environment variables for the server. */
  readonly env?: NamedValues | undefined;
  /** Sent as the `_meta` of the server. */
  readonly meta?: Meta | undefined;
}

/** An MCP server that the agent reaches over HTTP. Needs `mcpCapabilities.http` or `.sse`. */
interface RemoteMcpServer {
  /** The transport. */
  readonly type: "http" | "sse";
  readonly name: string;
  readonly url: string;
  /** HTTP headers for every request to the server. */
  readonly headers?: NamedValues | undefined;
  /** Sent as the `_meta` of the server. */
  readonly meta?: Meta | undefined;
}

/** An MCP server of a session, or a server of tools in this process (see `dragoman/tools`). */
export type McpServerConfig = StdioMcpServer | RemoteMcpServer | InProcessMcpServer | ToolServer;

/** An MCP server that the agent can connect to as it is. */
export type PlainMcpServer = Exclude<McpServerConfig, ToolServer>;

/**
 * Converts MCP servers to their protocol form. `declare` returns the id of one in this process. Throws
 * CapabilityError for a transport that the agent does not support, and InvalidArgumentError for an
 * unknown one.
 */
function toMcpServers(
  servers: readonly PlainMcpServer[],
  capabilities: unknown,
  declare: (server: InProcessMcpServer) => string,
): McpServer[] {
  return servers.map((server) => {
    const lacking = mcpServerLacks(server, capabilities);
    if (lacking !== undefined) {
      throw new CapabilityError(`the MCP server "${server.name}"`, lacking);
    }
    return toMcpServer(server, declare);
  });
}

function toMcpServer(
  server: PlainMcpServer,
  declare: (server: InProcessMcpServer) => string,
): McpServer {
  const { name } = server;
  const meta = metaField(server.meta);
  switch (server.type) {
    case "http":
    case "sse":
      return { type: server.type, name, url: server.url, headers: toList(server.headers), ...meta };
    case "acp":
      return { type: "acp", name, serverId: declare(server), ...meta };
    case "stdio":
    case undefined:
      return {
        name,
        command: server.command,
        args: [...(server.args ?? [])],
        env: toList(server.env),
        ...meta,
      };
    default:
      server satisfies never;
      throw new InvalidArgumentError(`the MCP server "${name}" has an unknown type`);
  }
}

function toList(values: NamedValues | undefined): HttpHeader[] {
  if (values === undefined) return [];
  if (isList(values))
    return values.map(({ name, value, _meta }) => ({
      name,
      value,
      ...metaField(_meta ?? undefined),
    }));
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

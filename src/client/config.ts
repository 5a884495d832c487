import type { CrowOptions, DialectName, Implementation, Meta } from "../protocol/acp/index.ts";
import {
  type CommandLine,
  definedFields,
  type EndStages,
  type OptionNames,
  type Overrides,
} from "../base/index.ts";
import type { Channel, Tap } from "../transport/wire/index.ts";
import { InvalidArgumentError } from "./errors.ts";
import type { RunLogin } from "./auth.ts";
import type { ExtensionOptions } from "./connection/extensions.ts";
import type { GateOptions } from "./gate/access.ts";
import type { McpServerConfig, UnstableConfig } from "./session/session-options.ts";
import type { WhenBusy } from "./session/session.ts";
import type { Timeouts } from "./connection/timeouts.ts";
import type { BufferLimits } from "./turn/update-stream.ts";
import type { ProtocolChoice } from "./v2/negotiate.ts";
import type { VirtualFsProvider } from "./gate/providers/provider.ts";

/** An agent started from a command. `env` is added to this process's environment. */
interface CommandTarget extends CommandLine {
  /** Not set: there is no channel. */
  readonly channel?: undefined;
  /** Not set: there is no address. */
  readonly url?: undefined;
  /** How long each stage of shutting the process down may take. */
  readonly stages?: Overrides<EndStages> | undefined;
  /** Receives the agent's stderr as it arrives. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** An agent reached through a channel that has not been opened yet. */
interface ChannelTarget {
  /** The channel. The client opens and closes it. */
  readonly channel: Channel;
  /** Whether the channel leads to a server, so that the agent is treated like one behind a `url`. */
  readonly remote?: boolean | undefined;
  /** Lets an agent on a server use the files and terminals of this machine. Default: false. */
  readonly remoteFiles?: boolean | undefined;
  /** Not set: there is no command. */
  readonly command?: undefined;
  /** Not set: there is no address. */
  readonly url?: undefined;
}

/**
 * An agent on a server. It works on the server's files: unless `remoteFiles` is set, this client offers
 * it neither files nor terminals. A session's `cwd` is a path on the server, or the name of one of its
 * roots, and is sent as given.
 */
export interface UrlTarget {
  /** The address: `ws:` or `wss:` for WebSocket, `http:` or `https:` for streamable HTTP. */
  readonly url: string | URL;
  /** Sent as `Authorization: Bearer TOKEN`. In a browser, a WebSocket sends it as a subprotocol. */
  readonly token?: string | undefined;
  /** More headers of every request. A browser sends none with a WebSocket. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Lets the agent use the files and terminals of this machine, within the other options. */
  readonly remoteFiles?: boolean | undefined;
  /** Not set: there is no command. */
  readonly command?: undefined;
  /** Not set: there is no channel. */
  readonly channel?: undefined;
}

/** How to talk to an agent, however it is reached. */
export interface ConnectionConfig extends GateOptions, ExtensionOptions, UnstableConfig {
  /** How this client introduces itself to the agent. */
  readonly clientInfo?: Implementation | undefined;
  /** Sent as the `_meta` of `initialize`. For that of the capabilities, see `capabilities`. */
  readonly meta?: Meta | undefined;
  /** Time limits, in milliseconds. */
  readonly timeouts?: Timeouts | undefined;
  /** The MCP servers of sessions that do not list their own. */
  readonly mcpServers?: readonly McpServerConfig[] | undefined;
  /**
   * How many updates may wait for one reader. Default: 512 updates, 8 MiB in total. A number sets only
   * the count.
   */
  readonly maxBuffered?: number | Overrides<BufferLimits> | undefined;
  /** How a prompt behaves while another turn runs in its session. Default: `reject`. */
  readonly whenBusy?: WhenBusy | undefined;
  /**
   * What ends when an agent does not end a cancelled turn within `timeouts.cancelGraceMs`: only the session,
   * or the client with all its sessions. Default: `session` if the client has other open sessions,
   * otherwise `client`.
   */
  readonly onCancelIgnored?: "session" | "client" | undefined;
  /** Receives every line in both directions, secrets included. To store them, use `recorder`. */
  readonly tap?: Tap | undefined;
  /**
   * The version of the protocol. Version 2 is a draft: agents that speak it may break with any release.
   * With 2, `start` rejects with a StartError whose cause is an UnsupportedVersionError if the agent does
   * not speak it; `newest` then uses version 1. Default: 1.
   */
  readonly protocol?: ProtocolChoice | undefined;
  /** The agent's dialect of the protocol. Default: `auto`, which detects it. Version 2 has none. */
  readonly dialect?: DialectName | "auto" | undefined;
  /** Choices for agents that speak crow's dialect. */
  readonly crow?: CrowOptions | undefined;
  /**
   * Advertises that terminal logins can run here, and how: `true` for this process's own terminal.
   * `client.terminalLogin` works without it too.
   */
  readonly terminalLogin?: boolean | RunLogin | undefined;
}

/** Everything that `AcpClient.start` needs to know: how to reach the agent, and how to treat it. */
export type AcpClientConfig = ConnectionConfig & (CommandTarget | ChannelTarget | UrlTarget);

/** The options of `AcpClient.start`. */
export const START_OPTIONS: OptionNames<AcpClientConfig> = {
  command: true,
  args: true,
  cwd: true,
  env: true,
  stages: true,
  onStderr: true,
  channel: true,
  remote: true,
  remoteFiles: true,
  url: true,
  token: true,
  headers: true,
  clientInfo: true,
  meta: true,
  timeouts: true,
  mcpServers: true,
  maxBuffered: true,
  whenBusy: true,
  onCancelIgnored: true,
  tap: true,
  protocol: true,
  dialect: true,
  crow: true,
  terminalLogin: true,
  capabilities: true,
  permissions: true,
  sticky: true,
  fs: true,
  terminal: true,
  onTerminal: true,
  elicitation: true,
  allowReadOutsideWorkspace: true,
  logger: true,
  requests: true,
  notifications: true,
  onExtension: true,
  unstable: true,
  onAuthStatus: true,
};

export const DEFAULT_LIMITS: BufferLimits = { updates: 512, bytes: 8 * 1024 * 1024 };

/** The buffer limits for readers. Throws InvalidArgumentError for a limit below 1. */
export function toBufferLimits(given: ConnectionConfig["maxBuffered"]): BufferLimits {
  const changes = typeof given === "number" ? { updates: given } : definedFields(given);
  const limits = { ...DEFAULT_LIMITS, ...changes };
  const isObject = given === undefined || typeof given === "number" || typeof given === "object";
  const isPositive = (limit: unknown): boolean => typeof limit === "number" && limit >= 1;
  if (!isObject || !isPositive(limits.updates) || !isPositive(limits.bytes)) {
    throw new InvalidArgumentError(
      "maxBuffered must be a number, at least 1, or have such numbers",
    );
  }
  return limits;
}

/** Paths of another machine: they can be compared, and nothing can be read or written. */
const REMOTE_PATHS: VirtualFsProvider = { realpath: (path) => path };

/** Pure: whether an agent is on a server, so that its folders are not those of this machine. */
export function isRemote(config: AcpClientConfig): boolean {
  return config.url !== undefined || (config.channel !== undefined && config.remote === true);
}

/**
 * Pure: the gate for an agent. One on a server gets neither files nor terminals, and its paths are not
 * looked up on this disk, unless `remoteFiles` is set. Throws InvalidArgumentError if the options offer
 * some all the same.
 */
export function gateOptionsFor(config: AcpClientConfig): GateOptions {
  if (config.command !== undefined || !isRemote(config) || config.remoteFiles === true) {
    return config;
  }
  const { capabilities, fs, terminal } = config;
  const offered = [
    fs?.provider,
    terminal,
    capabilities?.fs?.readTextFile,
    capabilities?.fs?.writeTextFile,
    capabilities?.terminal,
  ];
  if (offered.some((value) => value !== undefined && value !== false)) {
    throw new InvalidArgumentError(
      "an agent on a server works on the server's files: to offer it those of this machine, set remoteFiles",
    );
  }
  return {
    ...config,
    fs: { ...fs, provider: REMOTE_PATHS },
    // Some agents take a capability that is left out for one that is there (qwen 0.24.4).
    capabilities: {
      ...capabilities,
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    },
  };
}

import {
  AGENT_METHODS,
  type AgentCapabilities,
  type AuthMethod,
  canonicalDialect,
  type ClientCapabilities,
  crowDialect,
  detectingRewriter,
  type DetectingRewriter,
  type DialectName,
  type Implementation,
  type InitializeRequest,
  type InitializeResult,
  PROTOCOL_VERSION,
  readInitializeResult,
  retryInitializeInCrow,
} from "../acp/index.ts";
import { type Channel, type JsonObject, openProcess, tapped } from "../wire/index.ts";
import type { Rewriter } from "../rpc/index.ts";
import { toLimits, toTimeouts, type AcpClientConfig } from "./config.ts";
import { AgentConnection } from "./connection/connection.ts";
import { InvalidArgumentError, StartError, UnsupportedVersionError } from "./errors.ts";
import type { GateLike } from "./gate/contract.ts";
import type { CallLimit } from "./session/session-host.ts";
import { isLimit } from "./connection/timeouts.ts";
import { DEFAULT_CLIENT_INFO } from "./version.ts";

/** What an agent said of itself in `initialize`. */
export interface AgentDescription {
  readonly info: Implementation | undefined;
  readonly capabilities: AgentCapabilities;
  readonly authMethods: readonly AuthMethod[];
  readonly protocolVersion: number;
  /** How it spells the protocol. */
  readonly dialect: DialectName;
  /** The answer as it came, with capabilities this library does not know. */
  readonly raw: JsonObject;
}

export interface StartedAgent {
  readonly connection: AgentConnection;
  readonly agent: AgentDescription;
}

/**
 * Starts an agent and gets it through `initialize`. Rejects with InvalidArgumentError (nothing was
 * started) or StartError (nothing is left running).
 */
export async function startAgent(config: AcpClientConfig, gate: GateLike): Promise<StartedAgent> {
  assertTarget(config);
  const timeouts = toTimeouts(config.timeouts);
  const limits = toLimits(config.maxBuffered);
  const startedAt = performance.now();
  const channel = await openChannel(config).catch((error: unknown) => {
    throw new StartError(error);
  });
  const speech = chooseRewriter(config);
  const connection = new AgentConnection(config.tap ? tapped(channel, config.tap) : channel, {
    gate,
    rewriter: speech.rewriter,
    timeouts,
    limits,
    whenBusy: config.whenBusy ?? "throw",
    logger: config.logger,
  });
  try {
    const limit = (): CallLimit => startLimit(timeouts.start, startedAt);
    const result = await initialize(connection, config, gate.capabilities, speech, limit);
    connection.capabilities = result.rawCapabilities;
    connection.authMethods = result.authMethods;
    return { connection, agent: describeAgent(result, speech) };
  } catch (error) {
    await connection.close();
    throw new StartError(error);
  }
}

/** One limit for all that belongs to starting, from the command on. */
function startLimit(ms: number, startedAt: number): CallLimit {
  const left = isLimit(ms) ? Math.max(1, ms - (performance.now() - startedAt)) : ms;
  return { kind: "start", ms, left };
}

function assertTarget(config: AcpClientConfig): void {
  if ((config.command === undefined) === (config.channel === undefined)) {
    throw new InvalidArgumentError("an agent is either a command or a channel");
  }
}

async function openChannel(config: AcpClientConfig): Promise<Channel> {
  if (config.channel !== undefined) return config.channel;
  const { command, args, cwd, env, stages, onStderr } = config;
  return openProcess({
    command,
    ...(args === undefined ? {} : { args }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(stages === undefined ? {} : { stages }),
    ...(onStderr === undefined ? {} : { onStderr }),
  });
}

interface Speech {
  readonly rewriter: Rewriter;
  readonly detecting: DetectingRewriter | undefined;
  readonly fixed: DialectName;
}

function chooseRewriter(config: AcpClientConfig): Speech {
  const dialect = config.dialect ?? "auto";
  switch (dialect) {
    case "canonical":
      return { rewriter: canonicalDialect(), detecting: undefined, fixed: "canonical" };
    case "crow":
      return { rewriter: crowDialect("client", config.crow), detecting: undefined, fixed: "crow" };
    case "auto": {
      const detecting = detectingRewriter("client", config.crow);
      return { rewriter: detecting, detecting, fixed: "canonical" };
    }
  }
}

async function initialize(
  connection: AgentConnection,
  config: AcpClientConfig,
  capabilities: ClientCapabilities,
  speech: Speech,
  limit: () => CallLimit,
): Promise<InitializeResult> {
  const params: InitializeRequest = {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: withOwn(capabilities, config),
    clientInfo: config.clientInfo ?? DEFAULT_CLIENT_INFO,
  };
  const send = (): Promise<InitializeResult> =>
    connection.call(AGENT_METHODS.initialize, params, readInitializeResult, { limit: limit() });
  const result = await (speech.detecting ? retryInitializeInCrow(speech.detecting, send) : send());
  if (result.protocolVersion !== PROTOCOL_VERSION) {
    throw new UnsupportedVersionError(result.protocolVersion);
  }
  return result;
}

/** What the gate answers, and what the client itself understands. */
function withOwn(capabilities: ClientCapabilities, config: AcpClientConfig): ClientCapabilities {
  const login = config.terminalLogin ? { terminal: true } : undefined;
  return {
    ...capabilities,
    ...(login ? { auth: { ...capabilities.auth, ...login } } : {}),
    session: { configOptions: { boolean: {} }, ...capabilities.session },
  };
}

function describeAgent(result: InitializeResult, speech: Speech): AgentDescription {
  return {
    info: result.agentInfo,
    capabilities: result.agentCapabilities,
    authMethods: result.authMethods,
    protocolVersion: result.protocolVersion,
    dialect: speech.detecting?.dialect ?? speech.fixed,
    raw: result.raw,
  };
}

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
  type Meta,
  PROTOCOL_VERSION,
  readInitializeResult,
  retryInitializeInCrow,
  type UnstableAgentCapabilities,
  type UnstableClientCapabilities,
  usableCapabilities,
  withUnstableAgentCapabilities,
} from "../protocol/acp/index.ts";
import { definedFields, isStringList, type JsonObject, log, messageOf } from "../base/index.ts";
import { type Channel, tapped } from "../transport/wire/index.ts";
import {
  CallCancelledError,
  type CallOptions,
  type Rewriter,
  switchingRewriter,
} from "../transport/rpc/index.ts";
import { type AcpClientConfig, toBufferLimits, type UrlTarget, isRemote } from "./config.ts";
import { AgentConnection } from "./connection/connection.ts";
import { startOutput } from "./connection/start-output.ts";
import {
  InvalidArgumentError,
  StartError,
  TimeoutError,
  UnsupportedVersionError,
} from "./errors.ts";
import type { AgentGate } from "./gate/gate.ts";
import type { CallLimit, HostCallOptions } from "./session/session-host.ts";
import { toTimeouts, isTimeoutSet } from "./connection/timeouts.ts";
import { openCommand } from "./platform.ts";
import { negotiate, withoutV1 } from "./v2/negotiate.ts";
import { connectRemote, remoteAddress } from "../transport/remote/index.ts";

/** How an agent described itself in `initialize`. */
export interface AgentDescription {
  /** The name and version of the agent; undefined if it sent none. */
  readonly info: Implementation | undefined;
  /** Its capabilities. The unstable ones are read only with `unstable: true`. */
  readonly capabilities: AgentCapabilities & UnstableAgentCapabilities;
  /** The logins that the agent offers. */
  readonly authMethods: readonly AuthMethod[];
  /** The version of the protocol in use. */
  readonly protocolVersion: number;
  /** Which dialect of the protocol it uses. */
  readonly dialect: DialectName;
  /** The `_meta` of its answer. That of its capabilities and of its `info` is in those. */
  readonly meta: Meta | undefined;
  /** The unchanged answer, including capabilities that this library does not know. */
  readonly raw: JsonObject;
}

interface StartedAgent {
  readonly connection: AgentConnection;
  readonly agent: AgentDescription;
}

/** Rejects with InvalidArgumentError (nothing was started) or StartError (nothing is left running). */
export async function startAgent(
  config: AcpClientConfig,
  gate: AgentGate,
  { signal }: CallOptions = {},
): Promise<StartedAgent> {
  assertTarget(config);
  const timeouts = toTimeouts(config.timeouts);
  const limits = toBufferLimits(config.maxBuffered);
  const startedAt = performance.now();
  const channel = await openChannel(config, timeouts.startMs, signal).catch((error: unknown) => {
    throw error instanceof InvalidArgumentError ? error : new StartError(error);
  });
  const dialect = chooseDialect(config);
  const choice = config.protocol ?? 1;
  const switching = choice === 1 ? undefined : switchingRewriter(dialect.rewriter);
  const output = startOutput(timeouts.startMs, () => connection);
  const connection: AgentConnection = new AgentConnection(
    config.tap ? tapped(channel, config.tap) : channel,
    {
      gate,
      rewriter: switching ?? dialect.rewriter,
      timeouts,
      limits,
      whenBusy: config.whenBusy ?? "reject",
      onCancelIgnored: config.onCancelIgnored,
      logger: config.logger,
      extensions: config,
      unstable: config,
      onSkipped: (text) => output.add(text),
    },
  );
  try {
    const call = (): HostCallOptions => ({
      signal,
      meta: config.meta,
      limit: startLimit(timeouts.startMs, startedAt),
    });
    const params: InitializeRequest = {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: withClientCapabilities(gate.capabilities, config),
      clientInfo: config.clientInfo ?? DEFAULT_CLIENT_INFO,
    };
    const inV1 = (): Promise<InitializeResult> => initialize(connection, params, dialect, call);
    const result =
      choice !== 1 && switching
        ? await negotiate(choice, { connection, rewriter: switching, params, options: call, inV1 })
        : await inV1().catch(async (error: unknown) => {
            throw await withoutV1(error);
          });
    connection.protocolVersion = result.protocolVersion;
    connection.isRemote = isRemote(config);
    warnOfUnused(config, gate.capabilities, result.protocolVersion);
    connection.capabilities = usableCapabilities(result.rawCapabilities, connection.unstable);
    connection.authMethods = result.authMethods;
    return { connection, agent: describeAgent(result, dialect, connection.unstable) };
  } catch (error) {
    await connection.close();
    throw new StartError(output.failure ?? error, output.text);
  } finally {
    output.end();
  }
}

/** One limit for the whole start, counted from the launch of the command. */
function startLimit(ms: number, startedAt: number): CallLimit {
  const left = isTimeoutSet(ms) ? Math.max(1, ms - (performance.now() - startedAt)) : ms;
  return { kind: "startMs", ms, left };
}

function assertTarget(config: AcpClientConfig): void {
  const { command, channel, url } = config;
  const given = [command, channel, url].filter((target) => target !== undefined);
  if (given.length !== 1) {
    throw new InvalidArgumentError("give exactly one of command, channel and url");
  }
  if (config.command !== undefined) assertCommand(config.command, config.args);
}

/** The values come from a program that may have no types. */
function assertCommand(command: unknown, args: unknown): void {
  if (typeof command !== "string" || command === "") {
    throw new InvalidArgumentError(
      'command must be the name or the path of a program; the arguments belong in "args"',
    );
  }
  if (args !== undefined && !isStringList(args)) {
    throw new InvalidArgumentError("args must be a list of strings");
  }
}

async function openChannel(
  config: AcpClientConfig,
  startMs: number,
  signal: AbortSignal | undefined,
): Promise<Channel> {
  if (config.channel !== undefined) return config.channel;
  if (config.url !== undefined) return openUrl(config, startMs, signal);
  const { command, args, cwd, env, stages, onStderr } = config;
  return openCommand({ command, ...definedFields({ args, cwd, env, stages, onStderr }) });
}

interface DialectChoice {
  readonly rewriter: Rewriter;
  /** Set if the dialect is detected during `initialize`. */
  readonly detecting: DetectingRewriter | undefined;
  /** The dialect to assume unless another one is detected. */
  readonly fixed: DialectName;
}

function chooseDialect(config: AcpClientConfig): DialectChoice {
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
  params: InitializeRequest,
  dialect: DialectChoice,
  options: () => HostCallOptions,
): Promise<InitializeResult> {
  const send = (): Promise<InitializeResult> =>
    connection.call(AGENT_METHODS.initialize, params, readInitializeResult, options());
  const result = await (dialect.detecting
    ? retryInitializeInCrow(dialect.detecting, send)
    : send());
  if (result.protocolVersion !== PROTOCOL_VERSION) {
    throw new UnsupportedVersionError(result.protocolVersion);
  }
  return result;
}

/** v2 has no methods for files and terminals of the client, so options for them have no effect. */
function warnOfUnused(
  { logger }: AcpClientConfig,
  { fs, terminal }: ClientCapabilities,
  version: number,
): void {
  if (version === PROTOCOL_VERSION) return;
  if (!terminal && !fs?.readTextFile && !fs?.writeTextFile) return;
  log(
    logger,
    "warn",
    "the agent speaks version 2 and cannot use this client's files and terminals",
  );
}

function withClientCapabilities(
  capabilities: ClientCapabilities,
  config: AcpClientConfig,
): ClientCapabilities & UnstableClientCapabilities {
  const login = config.terminalLogin ? { terminal: true } : undefined;
  return {
    ...capabilities,
    ...(config.unstable === true ? { plan: {}, subagents: {} } : {}),
    ...(login ? { auth: { ...capabilities.auth, ...login } } : {}),
    session: {
      configOptions: { boolean: {} },
      ...definedFields(capabilities.session ?? undefined),
    },
  };
}

function describeAgent(
  result: InitializeResult,
  dialect: DialectChoice,
  unstable: boolean,
): AgentDescription {
  const { agentCapabilities, rawCapabilities } = result;
  return {
    info: result.agentInfo,
    capabilities: unstable
      ? withUnstableAgentCapabilities(agentCapabilities, rawCapabilities)
      : agentCapabilities,
    authMethods: result.authMethods,
    protocolVersion: result.protocolVersion,
    dialect: dialect.detecting?.dialect ?? dialect.fixed,
    meta: result.meta,
    raw: result.raw,
  };
}

/** Rejects with InvalidArgumentError, ConnectError, TimeoutError or CallCancelledError. */
export async function openUrl(
  { url, headers, token }: UrlTarget,
  startMs: number,
  signal: AbortSignal | undefined,
): Promise<Channel> {
  const address = checkedAddress(url);
  const controller = new AbortController();
  const cancel = (): void => controller.abort(new CallCancelledError("connect", signal?.reason));
  if (signal?.aborted === true) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  const late = new TimeoutError("startMs", startMs, "connect");
  const timer = isTimeoutSet(startMs)
    ? setTimeout(() => controller.abort(late), startMs)
    : undefined;
  try {
    return await connectRemote(address, { headers, token, signal: controller.signal });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

function checkedAddress(url: string | URL): URL {
  try {
    return remoteAddress(url);
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

declare const DRAGOMAN_VERSION: string | undefined;

/** How the client introduces itself unless the application sets `clientInfo`. */
const DEFAULT_CLIENT_INFO = {
  name: "dragoman",
  title: "Dragoman",
  // The build replaces the name with the package's version. Run from source, it is not defined.
  version: typeof DRAGOMAN_VERSION === "string" ? DRAGOMAN_VERSION : "0.0.0-source",
} as const;

import { type AuthMethod, ERROR_CODES, ProtocolViolation } from "../../../protocol/acp/index.ts";
import {
  AuthRequiredError,
  CancelIgnoredError,
  CapabilityError,
  ClientError,
  InvalidArgumentError,
  isTerminalMethod,
  LoginError,
  StartError,
  TimeoutError,
  UnsupportedVersionError,
  DEFAULT_TIMEOUTS,
} from "../../../client/index.ts";
import { ConnectionError, RemoteError } from "../../../transport/rpc/index.ts";
import {
  isJsonObject,
  numberField,
  SpawnError,
  stringField,
  messageOf,
} from "../../../base/index.ts";
import { type CloseReason, ConnectError, isUnauthorized } from "../../../transport/wire/index.ts";
import { installHint } from "../agents/catalogue.ts";
import { doctorLine, sessionsLine, type SelectedAgent } from "../agents/select.ts";
import { asHint, CliError, type ExitName, type FailureDetails } from "../shell/exit.ts";
import type { Values } from "../shell/parse.ts";
import { timeOption } from "../shell/values.ts";
import { HubLostError } from "../warm/frames.ts";

export type Phase = "start" | "login" | "session" | "reopen" | "turn";

export interface FailureContext {
  readonly agent: Pick<
    SelectedAgent,
    "name" | "command" | "args" | "entry" | "from" | "protocol" | "remote"
  >;
  readonly phase: Phase;
  readonly limits: Pick<Limits, "raiseStart" | "raiseRequest">;
}

/**
 * Turns a thrown value into an exit code and a message. Pure. Decides by the class and the fields of
 * an error, never by its message.
 */
export function classifyFailure(error: unknown, context: FailureContext): CliError {
  if (error instanceof CliError) return error;
  const [exit, details] = verdict(error, context);
  return new CliError(exit, details, { cause: error });
}

type FailureVerdict = readonly [ExitName, FailureDetails];

function verdict(error: unknown, context: FailureContext): FailureVerdict {
  const { agent } = context;
  if (error instanceof StartError) return startVerdict(error.cause, context);
  if (error instanceof AuthRequiredError) return authVerdict(error.cause, error.methods, agent);
  if (error instanceof TimeoutError) return timeoutVerdict(error, context);
  if (error instanceof CancelIgnoredError) return ignoredVerdict(error, context);
  if (error instanceof UnsupportedVersionError) return versionVerdict(error, agent);
  if (error instanceof CapabilityError) return capabilityVerdict(error, context);
  if (error instanceof LoginError) return ["auth", { what: error.message }];
  if (error instanceof InvalidArgumentError) return ["usage", { what: error.message }];
  if (error instanceof ConnectionError) return deathVerdict(error.reason, context);
  if (error instanceof SpawnError) return spawnVerdict(error, agent);
  if (error instanceof ConnectError) return connectVerdict(error, agent);
  if (error instanceof ProtocolViolation) {
    return [
      "agentError",
      { what: `${agent.name} violated the protocol: ${error.message}`, hint: RECORD_HINT },
    ];
  }
  if (error instanceof RemoteError) return remoteVerdict(error, context);
  if (error instanceof ClientError && context.phase === "reopen") {
    return ["session", { what: error.message }];
  }
  return ["agentError", { what: messageOf(error) }];
}

const RECORD_HINT = "--record FILE to see the protocol messages";

function startVerdict(cause: unknown, context: FailureContext): FailureVerdict {
  if (cause instanceof ConnectionError) return deathVerdict(cause.reason, context);
  if (cause instanceof RemoteError && cause.code === ERROR_CODES.authRequired) {
    return authVerdict(cause, [], context.agent);
  }
  return verdict(cause, context);
}

function spawnVerdict(error: SpawnError, agent: FailureContext["agent"]): FailureVerdict {
  const { name, command, entry } = agent;
  const what = name === command ? error.message : `${name}: ${error.message}`;
  if (error.failure !== "not-found") return ["cannotStart", { what, hint: doctorLine(agent) }];
  return [
    "cannotStart",
    { what, hint: entry ? installHint(entry) : `install "${command}", or dragoman agents` },
  ];
}

function connectVerdict(error: ConnectError, agent: FailureContext["agent"]): FailureVerdict {
  const what = error.message;
  if (isUnauthorized(error)) return ["auth", { what, hint: TOKEN_HINT }];
  return ["cannotStart", { what, hint: doctorLine(agent) }];
}

const TOKEN_HINT = "--token-file FILE with a token that the server accepts";

function deathVerdict(reason: CloseReason, { agent, phase }: FailureContext): FailureVerdict {
  const hint = doctorLine(agent);
  const stderr = "stderr" in reason ? reason.stderr : undefined;
  const started = phase !== "start";
  const exit = started ? "died" : "cannotStart";
  const when = WHEN[phase];
  switch (reason.kind) {
    case "exited": {
      const { code, signal } = reason.exit;
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      return [exit, { what: `${agent.name} died ${when}`, exit: how, stderr, hint }];
    }
    case "ended":
      return [exit, { what: `${agent.name} closed the connection ${when}`, hint }];
    case "failed": {
      if (reason.error instanceof HubLostError) return lostVerdict(agent, phase);
      const what = `the connection to ${agent.name} failed ${when}: ${reason.error.message}`;
      if (isUnauthorized(reason.error)) return ["auth", { what, hint: TOKEN_HINT }];
      return [exit, { what, stderr, hint }];
    }
    case "closed":
      return [exit, { what: `the connection to ${agent.name} was closed ${when}`, stderr }];
  }
}

/** A prompt that a hub has taken may have run, at least in part, and is never sent again. */
const UNKNOWN_OUTCOME = "; the outcome of the prompt is unknown";

function lostVerdict({ name }: FailureContext["agent"], phase: Phase): FailureVerdict {
  const what = `the hub with ${name} ended ${WHEN[phase]}`;
  const outcome = phase === "turn" ? UNKNOWN_OUTCOME : "";
  return ["died", { what: `${what}${outcome}`, hint: "dragoman hub logs" }];
}

/** A hub reports in these fields how its agent ended, or that it did not start. */
function hostedVerdict(
  { data, message }: RemoteError,
  context: FailureContext,
): FailureVerdict | undefined {
  if (!isJsonObject(data)) return undefined;
  const { agent, phase } = context;
  if (data["reason"] === "cannot_start")
    return ["cannotStart", { what: message, hint: doctorLine(agent) }];
  if (data["reason"] !== "agent_ended") return undefined;
  const exit = {
    code: numberField(data, "exit") ?? null,
    signal: stringField(data, "signal") ?? null,
  };
  const stderr = stringField(data, "stderr") ?? "";
  const [name, details] = deathVerdict({ kind: "exited", exit, stderr }, context);
  const outcome = phase === "turn" ? UNKNOWN_OUTCOME : "";
  return [name, { ...details, what: `${details.what}${outcome}` }];
}

const WHEN: Readonly<Record<Phase, string>> = {
  start: "while starting",
  login: "while signing in",
  session: "while setting up the session",
  reopen: "while reopening the session",
  turn: "during the turn",
};

function timeoutVerdict(error: TimeoutError, context: FailureContext): FailureVerdict {
  const { agent, phase, limits } = context;
  const { name } = agent;
  const seconds = error.ms / 1000;
  switch (error.limit) {
    case "start":
      return [
        "timeout",
        { what: `${name} was not ready after ${seconds} s`, hint: limits.raiseStart },
      ];
    case "request":
      return [
        "timeout",
        {
          what: `${name} did not answer for ${seconds} s ${WHEN[phase]}`,
          hint: limits.raiseRequest ?? doctorLine(agent),
        },
      ];
    case "turnIdle":
      return [
        "timeout",
        {
          what: `${name} was silent for ${seconds} s; the turn was cancelled`,
          hint: "a longer --idle-timeout",
        },
      ];
    case "turn":
      return [
        "timeout",
        {
          what: `the turn took longer than ${seconds} s and was cancelled`,
          hint: "a longer --timeout",
        },
      ];
  }
}

/** If a time limit caused the cancel, it remains the reason for the failure. */
function ignoredVerdict(error: CancelIgnoredError, context: FailureContext): FailureVerdict {
  const ignored = `${context.agent.name} ignored the cancel and was terminated`;
  if (!(error.cause instanceof TimeoutError)) return ["agentError", { what: ignored }];
  const [exit, details] = timeoutVerdict(error.cause, context);
  return [exit, { ...details, what: `${details.what}; ${ignored}` }];
}

function versionVerdict(
  error: UnsupportedVersionError,
  { name }: FailureContext["agent"],
): FailureVerdict {
  const { offered, spoken } = error;
  if (spoken === 2) {
    const what = `${name} does not speak version 2 of the protocol, only version ${offered}`;
    return ["cannotStart", { what, hint: "--protocol newest, or --protocol 1" }];
  }
  if (spoken === 1 && offered === 2) return onlyVersion2(name);
  const wanted = spoken === "newest" ? "versions 1 and 2" : `version ${spoken}`;
  const what = `${name} speaks version ${offered} of the protocol, but Dragoman speaks ${wanted}`;
  return ["agentError", { what, hint: "another version of the agent" }];
}

function onlyVersion2(name: string): FailureVerdict {
  const what = `${name} speaks version 2 of the protocol, but not version 1`;
  return ["cannotStart", { what, hint: "--protocol 2" }];
}

function capabilityVerdict(
  error: CapabilityError,
  { agent, phase }: FailureContext,
): FailureVerdict {
  const { name } = agent;
  const flag = FLAGS[error.capability];
  if (flag !== undefined) {
    const what = `${name} does not support ${flag}: it does not advertise ${error.capability}`;
    return ["usage", { what, hint: `without ${flag}` }];
  }
  if (phase === "reopen") {
    return [
      "session",
      {
        what: `${name} cannot resume sessions: it advertises neither loadSession nor sessionCapabilities.resume`,
      },
    ];
  }
  if (error.capability === "promptCapabilities.image") {
    return [
      "usage",
      { what: `${name} does not accept images`, hint: "@path in the prompt instead of --image" },
    ];
  }
  const what = ACTIONS[error.capability] ?? "do that";
  return ["usage", { what: `${name} cannot ${what}: it does not advertise ${error.capability}` }];
}

/** Flags that need a capability of the agent, whether the session is new or not. */
const FLAGS: Readonly<Record<string, string>> = {
  "sessionCapabilities.additionalDirectories": "--add-dir",
  "sessionCapabilities.systemPrompt": "--system-prompt",
};

const ACTIONS: Readonly<Record<string, string>> = {
  "sessionCapabilities.list": "list sessions",
  "sessionCapabilities.delete": "delete sessions",
  "dragoman/attach": "share sessions",
};

function remoteVerdict(
  error: RemoteError,
  { agent, phase, limits }: FailureContext,
): FailureVerdict {
  const known = missingVerdict(error, agent) ?? hostedVerdict(error, { agent, phase, limits });
  if (known !== undefined) return known;
  const text = remoteMessage(error);
  if (phase === "reopen") {
    return [
      "session",
      { what: `${agent.name} cannot reopen the session: ${text}`, hint: sessionsLine(agent) },
    ];
  }
  if (phase === "login") return ["auth", { what: `${agent.name} denied the login: ${text}` }];
  const what = `${agent.name} answered ${error.method ?? "the call"} with an error: ${text}`;
  return ["agentError", { what, exit: `error ${error.code}` }];
}

/** droid-acp reports in these fields that it runs but found no Droid. */
function missingVerdict(
  { data }: RemoteError,
  { name, entry }: FailureContext["agent"],
): FailureVerdict | undefined {
  if (!isJsonObject(data) || data["reason"] !== "executable_not_found") return undefined;
  const { what, advice } = data;
  const hint = typeof advice === "string" ? asHint(advice) : entry?.install;
  const why = typeof what === "string" ? what : "the program that it adapts was not found";
  return ["cannotStart", { what: `${name} cannot start: ${why}`, hint }];
}

/** A message that is not generic does not contain the details, but they may help. */
function remoteMessage({ message, details }: RemoteError): string {
  return details === undefined || message.endsWith(details) ? message : `${message}: ${details}`;
}

function authVerdict(
  cause: RemoteError,
  methods: readonly AuthMethod[],
  agent: FailureContext["agent"],
): FailureVerdict {
  const { name, entry } = agent;
  // A login in the terminal needs no preparation, so it comes first. The catalogue's method is tested.
  const terminal = methods.find(isTerminalMethod);
  const ways = [
    ...(terminal === undefined ? [] : [`--auth ${terminal.id}`]),
    ...(entry?.signIn === undefined ? [] : [entry.signIn]),
  ];
  const [first] = methods;
  const offered = methods.map(({ id }) => id).join(", ");
  const what = `${name} needs you to sign in: ${remoteMessage(cause)}${offered === "" ? "" : ` (it offers ${offered})`}`;
  if (ways.length > 0) return ["auth", { what, hint: ways.join("; or ") }];
  return ["auth", { what, hint: first === undefined ? doctorLine(agent) : `--auth ${first.id}` }];
}

/** The default limit for the start of an agent. Some take ten seconds. */
const START_MS = 60_000;

const RAISE = "a longer --timeout, or a --start-timeout for everything before the turn";

/** The limits of a run in milliseconds, and hints that name the flags to raise them. */
export interface Limits {
  readonly start: number;
  readonly request: number;
  /** 0 means no limit, here and in `turnIdle`. */
  readonly turn: number;
  readonly turnIdle: number;
  readonly raiseStart: string;
  /** Undefined if no flag raises it. */
  readonly raiseRequest: string | undefined;
}

/**
 * The limits that the flags ask for. `--timeout` also limits each wait before the turn, unless
 * `--start-timeout` is given, because the user does not want a run to hang for longer anywhere. Pure.
 */
export function limitsOf(values: Values): Limits {
  const turn = timeOption(values, "timeout");
  const start = timeOption(values, "start-timeout");
  const bound = start === undefined && turn !== undefined ? turn : Number.POSITIVE_INFINITY;
  const { request } = DEFAULT_TIMEOUTS;
  return {
    start: start ?? Math.min(START_MS, bound),
    request: Math.min(request, bound),
    turn: turn ?? 0,
    turnIdle: timeOption(values, "idle-timeout") ?? 0,
    raiseStart: bound < START_MS ? RAISE : "a longer --start-timeout",
    raiseRequest: bound < request ? RAISE : undefined,
  };
}

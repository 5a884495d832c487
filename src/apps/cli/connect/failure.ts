import { type AuthMethod, ERROR_CODES, ProtocolViolation } from "../../../protocol/acp/index.ts";
import {
  AuthRequiredError,
  CancelIgnoredError,
  CapabilityError,
  InvalidArgumentError,
  isTerminalMethod,
  LoginError,
  NotAnAgentError,
  StartError,
  TimeoutError,
  UnsupportedVersionError,
} from "../../../client/index.ts";
import { ConnectionError, RemoteError } from "../../../transport/rpc/index.ts";
import {
  DragomanError,
  isJsonObject,
  numberField,
  SpawnError,
  stringField,
  messageOf,
} from "../../../base/index.ts";
import { type CloseReason, ConnectError, isUnauthorized } from "../../../transport/wire/index.ts";
import { installHint } from "../agents/catalogue.ts";
import type { SelectedAgent } from "../agents/select.ts";
import { asHint, CliError, type ExitName, type FailureDetails } from "../shell/exit.ts";
import { HubLostError } from "../warm/frames.ts";
import { doctorHint, sessionsHint } from "../agents/hints.ts";
import type { RunTimeouts } from "./timeouts.ts";

export type Phase = "start" | "login" | "session" | "reopen" | "turn";

export interface FailureContext {
  readonly agent: Pick<
    SelectedAgent,
    "name" | "command" | "args" | "entry" | "from" | "protocol" | "remote"
  >;
  readonly phase: Phase;
  readonly limits: Pick<RunTimeouts, "raiseStart" | "raiseRequest">;
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
  if (error instanceof StartError) {
    const [exit, details] = startVerdict(error.cause, context);
    return [exit, { ...details, stdout: error.stdout }];
  }
  if (error instanceof NotAnAgentError) return notAnAgentVerdict(error, context);
  if (error instanceof AuthRequiredError) return authVerdict(error.cause, error.methods, agent);
  if (error instanceof TimeoutError) return timeoutVerdict(error, context);
  if (error instanceof CancelIgnoredError) return failed("agentError", ignoredCancel(context));
  if (error instanceof UnsupportedVersionError) return versionVerdict(error, agent);
  if (error instanceof CapabilityError) return capabilityVerdict(error, context);
  if (error instanceof LoginError) return failed("auth", error.message);
  if (error instanceof InvalidArgumentError) return failed("usage", error.message);
  if (error instanceof ConnectionError) return deathVerdict(error.reason, context);
  if (error instanceof SpawnError) return spawnVerdict(error, agent);
  if (error instanceof ConnectError) return connectVerdict(error, agent);
  if (error instanceof ProtocolViolation)
    return failed(
      "agentError",
      `${agent.name} violated the protocol: ${error.message}`,
      "--record FILE to see the protocol messages",
    );
  if (error instanceof RemoteError) return remoteVerdict(error, context);
  if (error instanceof DragomanError && context.phase === "reopen")
    return failed("session", error.message);
  return failed("agentError", messageOf(error));
}

function failed(exit: ExitName, what: string, hint?: string): FailureVerdict {
  return [exit, { what, hint }];
}

function startVerdict(cause: unknown, context: FailureContext): FailureVerdict {
  if (cause instanceof ConnectionError) return deathVerdict(cause.reason, context);
  if (cause instanceof RemoteError && cause.rpcCode === ERROR_CODES.authRequired) {
    return authVerdict(cause, [], context.agent);
  }
  return verdict(cause, context);
}

function notAnAgentVerdict(
  { ms }: NotAnAgentError,
  { agent, limits }: FailureContext,
): FailureVerdict {
  const seconds = ms / 1000;
  const what = `${agent.name} does not speak the protocol: it printed other text and then nothing for ${seconds} s`;
  return failed("cannotStart", what, `another command, or ${limits.raiseStart}`);
}

function spawnVerdict(error: SpawnError, agent: FailureContext["agent"]): FailureVerdict {
  const { name, command, entry } = agent;
  const what = name === command ? error.message : `${name}: ${error.message}`;
  if (error.failure !== "not-found") return failed("cannotStart", what, doctorHint(agent));
  const install = entry ? installHint(entry) : `install "${command}", or dragoman agents`;
  return failed("cannotStart", what, install);
}

function connectVerdict(error: ConnectError, agent: FailureContext["agent"]): FailureVerdict {
  if (isUnauthorized(error)) return failed("auth", error.message, TOKEN_HINT);
  return failed("cannotStart", error.message, doctorHint(agent));
}

const TOKEN_HINT = "--token-file FILE with a token that the server accepts";

function deathVerdict(reason: CloseReason, { agent, phase }: FailureContext): FailureVerdict {
  const hint = doctorHint(agent);
  const stderr = "stderr" in reason ? reason.stderr : undefined;
  const exit = phase === "start" ? "cannotStart" : "died";
  const when = WHEN[phase];
  switch (reason.kind) {
    case "exited": {
      const { code, signal } = reason.exit;
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      return [exit, { what: `${agent.name} died ${when}`, exit: how, stderr, hint }];
    }
    case "ended":
      return failed(exit, `${agent.name} closed the connection ${when}`, hint);
    case "failed": {
      if (reason.error instanceof HubLostError) return lostVerdict(agent, phase);
      const what = `the connection to ${agent.name} failed ${when}: ${reason.error.message}`;
      if (isUnauthorized(reason.error)) return failed("auth", what, TOKEN_HINT);
      return [exit, { what, stderr, hint }];
    }
    case "closed":
      return [exit, { what: `the connection to ${agent.name} was closed ${when}`, stderr }];
  }
}

/** A prompt that a hub has taken may have run, at least in part, and is never sent again. */
function outcomeIn(phase: Phase): string {
  return phase === "turn" ? "; the outcome of the prompt is unknown" : "";
}

function lostVerdict({ name }: FailureContext["agent"], phase: Phase): FailureVerdict {
  const what = `the hub with ${name} ended ${WHEN[phase]}${outcomeIn(phase)}`;
  return failed("died", what, "dragoman hub logs");
}

/** A hub reports in these fields how its agent ended, or that it did not start. */
function hostedVerdict(
  { data, message }: RemoteError,
  context: FailureContext,
): FailureVerdict | undefined {
  if (!isJsonObject(data)) return undefined;
  const { agent, phase } = context;
  if (data["reason"] === "cannot_start") return failed("cannotStart", message, doctorHint(agent));
  if (data["reason"] !== "agent_ended") return undefined;
  const exit = {
    code: numberField(data, "exit") ?? null,
    signal: stringField(data, "signal") ?? null,
  };
  const stderr = stringField(data, "stderr") ?? "";
  const [name, details] = deathVerdict({ kind: "exited", exit, stderr }, context);
  return [name, { ...details, what: details.what + outcomeIn(phase) }];
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
  const ignored = error.cause instanceof CancelIgnoredError ? `; ${ignoredCancel(context)}` : "";
  const late = (what: string, hint: string): FailureVerdict =>
    failed("timeout", `${what}${ignored}`, hint);
  switch (error.limit) {
    case "startMs":
      return late(`${name} was not ready after ${seconds} s`, limits.raiseStart);
    case "requestMs":
      return late(
        `${name} did not answer for ${seconds} s ${WHEN[phase]}`,
        limits.raiseRequest ?? doctorHint(agent),
      );
    case "turnIdleMs":
      return late(
        `${name} was silent for ${seconds} s; the turn was cancelled`,
        "a longer --idle-timeout",
      );
    case "turnMs":
    case "timeoutMs":
      return late(`the turn took longer than ${seconds} s and was cancelled`, "a longer --timeout");
  }
}

function ignoredCancel({ agent }: FailureContext): string {
  return `${agent.name} ignored the cancel and was terminated`;
}

function versionVerdict(
  error: UnsupportedVersionError,
  { name }: FailureContext["agent"],
): FailureVerdict {
  const { offered, spoken } = error;
  if (spoken === 2) {
    const what = `${name} does not speak version 2 of the protocol, only version ${offered}`;
    return failed("cannotStart", what, "--protocol newest, or --protocol 1");
  }
  if (spoken === 1 && offered === 2) {
    const what = `${name} speaks version 2 of the protocol, but not version 1`;
    return failed("cannotStart", what, "--protocol 2");
  }
  const wanted = spoken === "newest" ? "versions 1 and 2" : `version ${spoken}`;
  const what = `${name} speaks version ${offered} of the protocol, but Dragoman speaks ${wanted}`;
  return failed("agentError", what, "another version of the agent");
}

function capabilityVerdict(
  error: CapabilityError,
  { agent, phase }: FailureContext,
): FailureVerdict {
  const { name } = agent;
  const flag = FLAGS[error.capability];
  if (flag !== undefined) {
    const what = `${name} does not support ${flag}: it does not advertise ${error.capability}`;
    return failed("usage", what, `without ${flag}`);
  }
  if (phase === "reopen") {
    const what = "it advertises neither loadSession nor sessionCapabilities.resume";
    return failed("session", `${name} cannot resume sessions: ${what}`);
  }
  if (error.capability === "promptCapabilities.image") {
    const hint = "@path in the prompt instead of --image";
    return failed("usage", `${name} does not accept images`, hint);
  }
  const what = ACTIONS[error.capability] ?? "do that";
  return failed("usage", `${name} cannot ${what}: it does not advertise ${error.capability}`);
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
  if (phase === "reopen")
    return failed(
      "session",
      `${agent.name} cannot reopen the session: ${text}`,
      sessionsHint(agent),
    );
  if (phase === "login") return failed("auth", `${agent.name} denied the login: ${text}`);
  const what = `${agent.name} answered ${error.method ?? "the call"} with an error: ${text}`;
  return ["agentError", { what, exit: `error ${error.rpcCode}` }];
}

/** droid-acp reports in these fields that it runs but found no Droid. */
function missingVerdict(
  { data }: RemoteError,
  { name, entry }: FailureContext["agent"],
): FailureVerdict | undefined {
  if (!isJsonObject(data) || data["reason"] !== "not_installed") return undefined;
  const { what, advice } = data;
  const hint = typeof advice === "string" ? asHint(advice) : entry?.install;
  const why = typeof what === "string" ? what : "the program that it adapts was not found";
  return failed("cannotStart", `${name} cannot start: ${why}`, hint);
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
  if (ways.length > 0) return failed("auth", what, ways.join("; or "));
  return failed("auth", what, first === undefined ? doctorHint(agent) : `--auth ${first.id}`);
}

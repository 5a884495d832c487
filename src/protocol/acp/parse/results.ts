import { type JsonObject, definedFields, isStringList } from "../../../base/index.ts";
import { readAgentCapabilities } from "../capabilities.ts";
import { ProtocolViolation } from "../errors.ts";
import { type Meta, metaOf } from "../meta.ts";
import {
  isAuthMethod,
  isConfigOption,
  isImplementation,
  isModeState,
  isObject,
  isSessionInfo,
  stringOr,
  onlyValid,
} from "./guards.ts";
import type {
  AgentCapabilities,
  AuthMethod,
  Implementation,
  SessionConfigOption,
  SessionModeState,
  ElicitationContentValue,
} from "../types.ts";
import type {
  SessionInfo,
  TurnUsage,
  AuthAccount,
  AuthState,
  AuthStatus,
  McpErrorObject,
  McpOutcome,
  ProviderInfo,
  ProviderRouting,
  SessionStatus,
} from "../types/unstable.ts";
import { oneOf, type StopReason } from "../vocabulary.ts";
import { isTurnUsage } from "./update.ts";
import { authAccount, providerInfo, providerRouting, rpcFailure } from "./shapes.ts";

/*
 * Readers for the results of both sides. Each returns the typed result with `raw`, the object as received,
 * or throws a ProtocolViolation that names the field. Malformed optional fields read as absent, because
 * they break nothing that the method promises.
 */

export interface InitializeResult {
  readonly protocolVersion: number;
  readonly agentCapabilities: AgentCapabilities;
  /** The capabilities as received, for `agentHas`. */
  readonly rawCapabilities: JsonObject;
  /** The methods of known types. */
  readonly authMethods: readonly AuthMethod[];
  readonly agentInfo: Implementation | undefined;
  /** The `_meta` of the answer. */
  readonly meta: Meta | undefined;
  readonly raw: JsonObject;
}

export interface SetupResult {
  readonly meta: Meta | undefined;
  readonly modes: SessionModeState | undefined;
  readonly configOptions: readonly SessionConfigOption[] | undefined;
  readonly raw: JsonObject;
}

export interface NewSessionResult extends SetupResult {
  readonly sessionId: string;
}

export interface ListResult {
  readonly sessions: readonly SessionInfo[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
  readonly raw: JsonObject;
}

/** The agent's answer to `session/prompt`. */
export interface PromptResult {
  /** One of the protocol's stop reasons, or the agent's own word. */
  readonly stopReason: StopReason | (string & {});
  /** The `_meta` of the answer. */
  readonly meta: Meta | undefined;
  /** The tokens used, if the agent reports them. Needs `unstable: true`. */
  readonly usage?: TurnUsage | undefined;
  /** The answer as received. */
  readonly raw: JsonObject;
}

export interface ConfigOptionsResult {
  readonly configOptions: readonly SessionConfigOption[];
  readonly raw: JsonObject;
}

/** Returns the result as an object; throws otherwise. */
function resultObject(method: string, result: unknown): JsonObject {
  if (!isObject(result)) throw new ProtocolViolation(method, "", "an object", result);
  return result;
}

/** Returns a required non-empty string of a result; throws otherwise. */
function requiredId(method: string, result: JsonObject, key: string): string {
  const value = result[key];
  if (typeof value !== "string" || value === "") {
    throw new ProtocolViolation(method, key, "a non-empty string", value);
  }
  return value;
}

/** Returns a required string of a result; throws otherwise. */
function requiredText(method: string, result: JsonObject, key: string): string {
  const value = result[key];
  if (typeof value !== "string") throw new ProtocolViolation(method, key, "a string", value);
  return value;
}

/** Reads the result of `initialize`. Throws if it has no integer `protocolVersion`. */
export function readInitializeResult(result: unknown): InitializeResult {
  const raw = resultObject("initialize", result);
  const protocolVersion = raw["protocolVersion"];
  if (typeof protocolVersion !== "number" || !Number.isInteger(protocolVersion)) {
    throw new ProtocolViolation("initialize", "protocolVersion", "an integer", protocolVersion);
  }
  const capabilities = raw["agentCapabilities"];
  const info = raw["agentInfo"];
  return {
    protocolVersion,
    agentCapabilities: readAgentCapabilities(capabilities),
    rawCapabilities: isObject(capabilities) ? capabilities : {},
    authMethods: onlyValid(raw["authMethods"], isAuthMethod) ?? [],
    agentInfo: isImplementation(info) ? info : undefined,
    meta: metaOf(raw),
    raw,
  };
}

function setup(raw: JsonObject): SetupResult {
  const modes = raw["modes"];
  return {
    modes: isModeState(modes) ? modes : undefined,
    configOptions: onlyValid(raw["configOptions"], isConfigOption),
    meta: metaOf(raw),
    raw,
  };
}

/** Reads the result of `session/new` or `session/fork`. Throws if there is no `sessionId`. */
export function readNewSessionResult(method: string, result: unknown): NewSessionResult {
  const raw = resultObject(method, result);
  return { sessionId: requiredId(method, raw, "sessionId"), ...setup(raw) };
}

/**
 * Reads the result of `session/load` or `session/resume`. Null counts as `{}`. Throws on a scalar or an
 * array.
 */
export function readSetupResult(method: string, result: unknown): SetupResult {
  return setup(resultObject(method, result ?? {}));
}

/** Reads a page of `session/list`. Throws if `sessions` or one of its items is malformed. */
export function readListResult(result: unknown): ListResult {
  const method = "session/list";
  const raw = resultObject(method, result);
  const sessions = raw["sessions"];
  if (!Array.isArray(sessions)) {
    throw new ProtocolViolation(method, "sessions", "an array", sessions);
  }
  const read = sessions.map((item: unknown, i): SessionInfo => {
    if (isSessionInfo(item)) return item;
    if (!isObject(item)) throw new ProtocolViolation(method, `sessions[${i}]`, "an object", item);
    const key = typeof item["sessionId"] === "string" ? "cwd" : "sessionId";
    throw new ProtocolViolation(method, `sessions[${i}].${key}`, "a string", item[key]);
  });
  return { sessions: read, nextCursor: stringOr(raw["nextCursor"]), raw };
}

/**
 * Reads the result of `session/prompt`. Throws unless `stopReason` is a non-empty string. Reads `usage`
 * only if `unstable` is true.
 */
export function readPromptResult(result: unknown, unstable = false): PromptResult {
  const raw = resultObject("session/prompt", result);
  const stopReason = requiredId("session/prompt", raw, "stopReason");
  const usage = unstable ? raw["usage"] : undefined;
  const read = { stopReason, meta: metaOf(raw), raw };
  return isTurnUsage(usage) ? { ...read, usage } : read;
}

/** Reads the result of `session/set_config_option`. Throws if `configOptions` is not an array. */
export function readConfigOptionsResult(result: unknown): ConfigOptionsResult {
  const method = "session/set_config_option";
  const raw = resultObject(method, result);
  const configOptions = onlyValid(raw["configOptions"], isConfigOption);
  if (configOptions === undefined) {
    throw new ProtocolViolation(method, "configOptions", "an array", raw["configOptions"]);
  }
  return { configOptions, raw };
}

/**
 * Reads an empty result (`authenticate`, `logout`, `session/set_mode`, `delete`, `close`,
 * `fs/write_text_file`, `terminal/kill`, `release`). Null counts as `{}`, because the protocol's own
 * examples use it. Throws on a scalar or an array.
 */
export function readEmptyResult(method: string, result: unknown): JsonObject {
  return resultObject(method, result ?? {});
}

export type PermissionOutcome = (
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "selected"; readonly optionId: string }
) & {
  /** The `_meta` of the answer, with that of its outcome merged over it. */
  readonly meta?: Meta | undefined;
};

/** How a command ended. One field is `null`: a command exits with a code or dies from a signal. */
export interface TerminalExit {
  /** The exit code; null if a signal ended the command. */
  readonly exitCode: number | null;
  /** The name of the signal that ended the command; null if it exited by itself. */
  readonly signal: string | null;
  /** The `_meta` of the status. */
  readonly meta?: Meta | undefined;
}

/** The output of a command, as far as the client kept it. */
export interface TerminalOutput {
  /** The text, stdout and stderr together. */
  readonly output: string;
  /** Whether the client dropped the beginning of the output. */
  readonly truncated: boolean;
  /** Undefined while the command runs. */
  readonly exitStatus: TerminalExit | undefined;
}

/** The answer of the user to a form. */
export type ElicitationAnswer = (
  | {
      readonly action: "accept";
      /** The values that the user entered, by the names of the fields. */
      readonly content: { readonly [key: string]: ElicitationContentValue };
    }
  | { readonly action: "decline" }
  | { readonly action: "cancel" }
) & {
  /** The `_meta` of the answer. */
  readonly meta?: Meta | undefined;
};

/**
 * Reads the result of `session/request_permission`. Throws on an outcome that v1 does not have: an
 * unknown outcome must never count as consent, and callers must not take it for a denial by the user.
 */
export function readPermissionResult(result: unknown): PermissionOutcome {
  const method = "session/request_permission";
  const given = resultObject(method, result)["outcome"];
  if (!isObject(given)) throw new ProtocolViolation(method, "outcome", "an object", given);
  const outcome = given["outcome"];
  const meta = definedFields({ meta: mergedMeta(metaOf(result), metaOf(given)) });
  if (outcome === "cancelled") return { outcome, ...meta };
  if (outcome !== "selected") {
    throw new ProtocolViolation(
      method,
      "outcome.outcome",
      '"selected" or "cancelled"',
      given["outcome"],
    );
  }
  const optionId = given["optionId"];
  if (typeof optionId !== "string") {
    throw new ProtocolViolation(method, "outcome.optionId", "a string", optionId);
  }
  return { outcome, optionId, ...meta };
}

function mergedMeta(first: Meta | undefined, second: Meta | undefined): Meta | undefined {
  return first && second ? { ...first, ...second } : (first ?? second);
}

/** Reads the result of `fs/read_text_file`. Throws if `content` is not a string. */
export function readFileResult(result: unknown): string {
  const method = "fs/read_text_file";
  return requiredText(method, resultObject(method, result), "content");
}

/** Reads the terminal id from the result of `terminal/create`. Throws if there is none. */
export function readCreateTerminalResult(result: unknown): string {
  const method = "terminal/create";
  return requiredId(method, resultObject(method, result), "terminalId");
}

/** Reads the result of `terminal/output`. Throws if `output` or `truncated` is malformed. */
export function readTerminalOutputResult(result: unknown): TerminalOutput {
  const method = "terminal/output";
  const raw = resultObject(method, result);
  const truncated = raw["truncated"];
  const status = raw["exitStatus"];
  const output = requiredText(method, raw, "output");
  if (typeof truncated !== "boolean") {
    throw new ProtocolViolation(method, "truncated", "a boolean", truncated);
  }
  return { output, truncated, exitStatus: isObject(status) ? exitStatus(status) : undefined };
}

/** Reads the result of `terminal/wait_for_exit`. Throws if it is not an object. */
export function readExitResult(result: unknown): TerminalExit {
  return exitStatus(resultObject("terminal/wait_for_exit", result));
}

function exitStatus(raw: JsonObject): TerminalExit {
  const code = raw["exitCode"];
  return {
    exitCode: typeof code === "number" ? code : null,
    signal: stringOr(raw["signal"]) ?? null,
    ...definedFields({ meta: metaOf(raw) }),
  };
}

function isAnswerValue(value: unknown): value is ElicitationContentValue {
  return (
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean" ||
    isStringList(value)
  );
}

/** Reads the result of `elicitation/create`. Throws on an unknown action or a malformed value. */
export function readElicitationResult(result: unknown): ElicitationAnswer {
  const method = "elicitation/create";
  const raw = resultObject(method, result);
  const action = raw["action"];
  const meta = definedFields({ meta: metaOf(raw) });
  if (action === "decline" || action === "cancel") return { action, ...meta };
  if (action !== "accept") {
    throw new ProtocolViolation(method, "action", '"accept", "decline" or "cancel"', action);
  }
  const given = raw["content"] ?? {};
  if (!isObject(given)) throw new ProtocolViolation(method, "content", "an object", given);
  const content: [string, ElicitationContentValue][] = [];
  for (const [key, value] of Object.entries(given)) {
    if (!isAnswerValue(value)) {
      const expected = "a string, number, boolean or array of strings";
      throw new ProtocolViolation(method, `content.${key}`, expected, value);
    }
    content.push([key, value]);
  }
  return { action, content: Object.fromEntries(content), ...meta };
}

const isAuthState = oneOf<AuthState>(["authenticated", "unauthenticated", "not_required"]);

const isAccount = (value: unknown): value is AuthAccount => authAccount.accepts(value);

/**
 * Reads the result of `auth/status` or the params of `auth/status_update`. A state that this version
 * does not know reads as `unknown`, as the protocol requires. Throws ProtocolViolation without a state.
 */
export function readAuthStatus(method: string, result: unknown): AuthStatus {
  const raw = resultObject(method, result);
  const state = requiredText(method, raw, "state");
  const meta = raw["_meta"];
  return {
    state: isAuthState(state) ? state : "unknown",
    accounts: onlyValid(raw["accounts"], isAccount) ?? [],
    ...(isObject(meta) ? { _meta: meta } : {}),
  };
}

const isProvider = (value: unknown): value is ProviderInfo => providerInfo.accepts(value);

const isRouting = (value: unknown): value is ProviderRouting => providerRouting.accepts(value);

/** Reads the result of `providers/list`. Throws ProtocolViolation if an item is malformed. */
export function readProviders(result: unknown): readonly ProviderInfo[] {
  const method = "providers/list";
  const providers = resultObject(method, result)["providers"];
  if (!Array.isArray(providers)) {
    throw new ProtocolViolation(method, "providers", "an array", providers);
  }
  return providers.map((item: unknown, i): ProviderInfo => {
    if (!isProvider(item)) {
      throw new ProtocolViolation(method, `providers[${i}]`, "a provider", item);
    }
    return { ...item, current: isRouting(item.current) ? item.current : undefined };
  });
}

/** Reads the result of `session/status`. An unknown status reads as `saved`, as the protocol requires. */
export function readSessionStatus(result: unknown): SessionStatus {
  const method = "session/status";
  const status = requiredText(method, resultObject(method, result), "status");
  return status === "open" ? "open" : "saved";
}

/** Reads the title that the agent stored from the result of `session/set_title`. */
export function readSessionTitle(result: unknown): string {
  const method = "session/set_title";
  return requiredText(method, resultObject(method, result), "title");
}

const isMcpError = (value: unknown): value is McpErrorObject => rpcFailure.accepts(value);

/** Reads the result of `mcp/message`. If it has both outcomes, the result counts. */
export function readMcpOutcome(result: unknown): McpOutcome {
  const method = "mcp/message";
  const raw: JsonObject = resultObject(method, result);
  if (Object.hasOwn(raw, "result")) return { result: raw["result"] };
  const error = raw["error"];
  if (isMcpError(error)) return { error };
  throw new ProtocolViolation(method, "result", "present, or an error", raw["error"]);
}

import type { JsonObject } from "../../../base/index.ts";
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
} from "./guards.ts";
import { onlyValid } from "./fields.ts";
import type {
  AgentCapabilities,
  AuthMethod,
  Implementation,
  SessionConfigOption,
  SessionModeState,
} from "../types.ts";
import type { SessionInfo, TurnUsage } from "../unstable/types.ts";
import type { StopReason } from "../vocabulary.ts";
import { isTurnUsage } from "../unstable/update.ts";

/*
 * Readers for the results of agents. Each returns the typed result with `raw`, the object as received,
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

/** Returns the result as an object; throws otherwise. The readers of both sides use it. */
export function resultObject(method: string, result: unknown): JsonObject {
  if (!isObject(result)) throw new ProtocolViolation(method, "", "an object", result);
  return result;
}

/** Returns a required non-empty string of a result; throws otherwise. */
export function requiredId(method: string, result: JsonObject, key: string): string {
  const value = result[key];
  if (typeof value !== "string" || value === "") {
    throw new ProtocolViolation(method, key, "a non-empty string", value);
  }
  return value;
}

/** Returns a required string of a result; throws otherwise. The readers of both sides use it. */
export function requiredText(method: string, result: JsonObject, key: string): string {
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

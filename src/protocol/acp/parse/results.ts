import {
  type JsonObject,
  definedFields,
  isJsonObject as isObject,
  isStringList,
} from "../../../base/index.ts";
import { readAgentCapabilities } from "../capabilities.ts";
import { ProtocolViolation } from "../errors.ts";
import { type Meta, metaOf } from "../meta.ts";
import { onlyValid, stringOrUndefined } from "./guards.ts";
import {
  anyObject,
  anything,
  array,
  boolean,
  Faults,
  fits,
  id,
  integer,
  mapOf,
  object,
  optional,
  type Shape,
  simple,
  tagged,
  text,
} from "./shape.ts";
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
  TokenUsage,
  AuthState,
  AuthStatus,
  McpOutcome,
  ProviderInfo,
  SessionStatus,
} from "../types/unstable.ts";
import { oneOf, type StopReason } from "../vocabulary.ts";
import {
  authAccount,
  authMethod,
  configOption,
  failure,
  implementation,
  modeState,
  providerInfo,
  providerRouting,
  sessionInfo,
  turnUsage,
} from "./acp-shapes.ts";

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
  readonly meta: Meta | undefined;
  /** The tokens used, if the agent reports them. Needs `unstable: true`. */
  readonly usage?: TokenUsage | undefined;
  readonly raw: JsonObject;
}

export interface ConfigOptionsResult {
  readonly configOptions: readonly SessionConfigOption[];
  readonly raw: JsonObject;
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
  readonly meta?: Meta | undefined;
};

/** The result as a value of the shape. Throws for the first field that does not fit. */
function expectShape<T>(method: string, shape: Shape<T>, result: unknown): T {
  const faults = new Faults();
  if (fits(shape, result, faults)) return result;
  const { path = "", expected = "", received } = faults.mismatch ?? {};
  throw new ProtocolViolation(method, path, expected, received);
}

const initialized = object<JsonObject & { readonly protocolVersion: number }>({
  protocolVersion: integer,
});

/** Reads the result of `initialize`. Throws if it has no integer `protocolVersion`. */
export function readInitializeResult(result: unknown): InitializeResult {
  const raw = expectShape("initialize", initialized, result);
  const capabilities = raw["agentCapabilities"];
  const info = raw["agentInfo"];
  return {
    protocolVersion: raw.protocolVersion,
    agentCapabilities: readAgentCapabilities(capabilities),
    rawCapabilities: isObject(capabilities) ? capabilities : {},
    authMethods: onlyValid(raw["authMethods"], authMethod.accepts) ?? [],
    agentInfo: implementation.accepts(info) ? info : undefined,
    meta: metaOf(raw),
    raw,
  };
}

function setup(raw: JsonObject): SetupResult {
  const modes = raw["modes"];
  return {
    modes: modeState.accepts(modes) ? modes : undefined,
    configOptions: onlyValid(raw["configOptions"], configOption.accepts),
    meta: metaOf(raw),
    raw,
  };
}

const created = object<JsonObject & { readonly sessionId: string }>({ sessionId: id });

/** Reads the result of `session/new` or `session/fork`. Throws if there is no `sessionId`. */
export function readNewSessionResult(method: string, result: unknown): NewSessionResult {
  const raw = expectShape(method, created, result);
  return { sessionId: raw.sessionId, ...setup(raw) };
}

/** Reads the result of `session/load` or `session/resume`. Null counts as `{}`. */
export function readSetupResult(method: string, result: unknown): SetupResult {
  return setup(readEmptyResult(method, result));
}

const page = object<JsonObject & { readonly sessions: readonly SessionInfo[] }>({
  sessions: array(sessionInfo),
});

/** Reads a page of `session/list`. Throws if `sessions` or one of its items is malformed. */
export function readListResult(result: unknown): ListResult {
  const raw = expectShape("session/list", page, result);
  return { sessions: raw.sessions, nextCursor: stringOrUndefined(raw["nextCursor"]), raw };
}

const stopped = object<JsonObject & { readonly stopReason: string }>({ stopReason: id });

/**
 * Reads the result of `session/prompt`. Throws unless `stopReason` is a non-empty string. Reads `usage`
 * only if `unstable` is true.
 */
export function readPromptResult(result: unknown, unstable = false): PromptResult {
  const raw = expectShape("session/prompt", stopped, result);
  const usage = unstable ? raw["usage"] : undefined;
  const read = { stopReason: raw.stopReason, meta: metaOf(raw), raw };
  return turnUsage.accepts(usage) ? { ...read, usage } : read;
}

const withOptions = object<JsonObject & { readonly configOptions: readonly unknown[] }>({
  configOptions: array(anything),
});

/** Reads the result of `session/set_config_option`. Throws if `configOptions` is not an array. */
export function readConfigOptionsResult(result: unknown): ConfigOptionsResult {
  const raw = expectShape("session/set_config_option", withOptions, result);
  return { configOptions: raw.configOptions.filter(configOption.accepts), raw };
}

/**
 * Reads an empty result (`authenticate`, `logout`, `session/set_mode`, `delete`, `close`,
 * `fs/write_text_file`, `terminal/kill`, `release`). Null counts as `{}`, because the protocol's own
 * examples use it. Throws on a scalar or an array.
 */
export function readEmptyResult(method: string, result: unknown): JsonObject {
  return expectShape(method, anyObject, result ?? {});
}

const permission = object<JsonObject & { readonly outcome: PermissionOutcome }>({
  outcome: tagged("outcome", { selected: object({ optionId: text }), cancelled: anyObject }),
});

/**
 * Reads the result of `session/request_permission`. Throws on an outcome that v1 does not have: an
 * unknown outcome must never count as consent, and callers must not take it for a denial by the user.
 */
export function readPermissionResult(result: unknown): PermissionOutcome {
  const raw = expectShape("session/request_permission", permission, result);
  const given = raw.outcome;
  const meta = definedFields({ meta: mergedMeta(metaOf(raw), metaOf(given)) });
  if (given.outcome === "cancelled") return { outcome: given.outcome, ...meta };
  return { outcome: given.outcome, optionId: given.optionId, ...meta };
}

function mergedMeta(first: Meta | undefined, second: Meta | undefined): Meta | undefined {
  return first && second ? { ...first, ...second } : (first ?? second);
}

const file = object<{ readonly content: string }>({ content: text });

/** Reads the result of `fs/read_text_file`. Throws if `content` is not a string. */
export function readFileResult(result: unknown): string {
  return expectShape("fs/read_text_file", file, result).content;
}

const terminal = object<{ readonly terminalId: string }>({ terminalId: id });

/** Reads the terminal id from the result of `terminal/create`. Throws if there is none. */
export function readCreateTerminalResult(result: unknown): string {
  return expectShape("terminal/create", terminal, result).terminalId;
}

const terminalOutput = object<
  JsonObject & { readonly output: string; readonly truncated: boolean }
>({ output: text, truncated: boolean });

/** Reads the result of `terminal/output`. Throws if `output` or `truncated` is malformed. */
export function readTerminalOutputResult(result: unknown): TerminalOutput {
  const raw = expectShape("terminal/output", terminalOutput, result);
  const { output, truncated, exitStatus: status } = raw;
  return { output, truncated, exitStatus: isObject(status) ? exitStatus(status) : undefined };
}

/** Reads the result of `terminal/wait_for_exit`. Throws if it is not an object. */
export function readExitResult(result: unknown): TerminalExit {
  return exitStatus(expectShape("terminal/wait_for_exit", anyObject, result));
}

function exitStatus(raw: JsonObject): TerminalExit {
  const code = raw["exitCode"];
  return {
    exitCode: typeof code === "number" ? code : null,
    signal: stringOrUndefined(raw["signal"]) ?? null,
    ...definedFields({ meta: metaOf(raw) }),
  };
}

const answerValue = simple<ElicitationContentValue>(
  "a string, number, boolean or array of strings",
  (value) => ["string", "number", "boolean"].includes(typeof value) || isStringList(value),
);
const answer = tagged<
  | {
      readonly action: "accept";
      readonly content?: Record<string, ElicitationContentValue> | null | undefined;
    }
  | { readonly action: "decline" | "cancel" }
>("action", {
  accept: object({ content: optional(mapOf(answerValue)) }),
  decline: anyObject,
  cancel: anyObject,
});

/** Reads the result of `elicitation/create`. Throws on an unknown action or a malformed value. */
export function readElicitationResult(result: unknown): ElicitationAnswer {
  const raw = expectShape("elicitation/create", answer, result);
  const meta = definedFields({ meta: metaOf(raw) });
  if (raw.action !== "accept") return { action: raw.action, ...meta };
  return { action: raw.action, content: raw.content ?? {}, ...meta };
}

const isAuthState = oneOf<AuthState>(["authenticated", "unauthenticated", "not_required"]);
const signIn = object<JsonObject & { readonly state: string }>({ state: text });

/**
 * Reads the result of `auth/status` or the params of `auth/status_update`. A state that this version
 * does not know reads as `unknown`, as the protocol requires. Throws ProtocolViolation without a state.
 */
export function readAuthStatus(method: string, result: unknown): AuthStatus {
  const raw = expectShape(method, signIn, result);
  const { state, _meta: meta } = raw;
  return {
    state: isAuthState(state) ? state : "unknown",
    accounts: onlyValid(raw["accounts"], authAccount.accepts) ?? [],
    ...(isObject(meta) ? { _meta: meta } : {}),
  };
}

const providerList = object<{ readonly providers: readonly ProviderInfo[] }>({
  providers: array(providerInfo),
});

/** Reads the result of `providers/list`. Throws ProtocolViolation if an item is malformed. */
export function readProvidersResult(result: unknown): readonly ProviderInfo[] {
  const { providers } = expectShape("providers/list", providerList, result);
  return providers.map((item) => ({
    ...item,
    current: providerRouting.accepts(item.current) ? item.current : undefined,
  }));
}

const sessionStatus = object<{ readonly status: string }>({ status: text });

/** Reads the result of `session/status`. An unknown status reads as `saved`, as the protocol requires. */
export function readSessionStatusResult(result: unknown): SessionStatus {
  const { status } = expectShape("session/status", sessionStatus, result);
  return status === "open" ? "open" : "saved";
}

const sessionTitle = object<{ readonly title: string }>({ title: text });

/** Reads the title that the agent stored from the result of `session/set_title`. */
export function readSessionTitleResult(result: unknown): string {
  return expectShape("session/set_title", sessionTitle, result).title;
}

/** Reads the result of `mcp/message`. If it has both outcomes, the result counts. */
export function readMcpMessageResult(result: unknown): McpOutcome {
  const method = "mcp/message";
  const raw = expectShape(method, anyObject, result);
  if (Object.hasOwn(raw, "result")) return { result: raw["result"] };
  const error = raw["error"];
  if (failure.accepts(error)) return { error };
  throw new ProtocolViolation(method, "result", "present, or an error", error);
}

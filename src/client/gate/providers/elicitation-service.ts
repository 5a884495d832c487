import {
  type ElicitationSchema,
  type Fault,
  type Meta,
  type ParamsOf,
  stringOrUndefined,
} from "../../../protocol/acp/index.ts";
import {
  callSafely,
  isJsonObject,
  isStringList,
  type JsonObject,
  log,
  type Logger,
} from "../../../base/index.ts";
import type { RequestId } from "../../../transport/rpc/index.ts";
import type { GateSession } from "../access.ts";
import { invalidParamsError, elicitationModeError } from "../rpc-errors.ts";
import type {
  ElicitationProvider,
  ElicitationReply,
  ElicitationScope,
  RequestMeta,
} from "./provider.ts";
import { untilAborted } from "../async.ts";
import { matchesFormPattern } from "./form-pattern.ts";

type Params = ParamsOf["elicitation/create"];

/** URL schemes that may be shown. Others run code or reach files. */
const SCHEMES = new Set(["https:", "http:"]);

/** An agent may open URLs and never complete them. */
const MAX_OPEN = 1000;

/** Answers `elicitation/create`. Rejects with RpcError for a bad request. Later failures cancel. */
export class ElicitationService {
  readonly #logger: Logger | undefined;
  /** The providers of open URLs, by the id of the elicitation. */
  readonly #open = new Map<string, ElicitationProvider>();

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  async create(
    provider: ElicitationProvider,
    params: Params,
    request: RequestMeta,
    session: GateSession | undefined,
    signals: readonly AbortSignal[],
  ): Promise<ElicitationReply> {
    const ask = this.#prepare(provider, params, request);
    if (signals.some((signal) => signal.aborted)) return { action: "cancel" };
    const asking = async (): Promise<ElicitationReply> => {
      try {
        const outcome = await untilAborted(signals, ask);
        return outcome.aborted ? { action: "cancel" } : outcome.value;
      } catch (error) {
        log(this.#logger, "error", "the elicitation provider failed", { error });
        return { action: "cancel" };
      }
    };
    return session ? session.asking(asking) : asking();
  }

  /** Returns false if the id is not open: the protocol says to ignore it then. */
  complete(elicitationId: string, meta: Meta | undefined): boolean {
    const provider = this.#open.get(elicitationId);
    if (!provider) return false;
    this.#open.delete(elicitationId);
    callSafely(() => provider.completed?.(elicitationId, { meta }));
    return true;
  }

  /** Checks everything that does not need a person, so that a bad request gets an error. */
  #prepare(
    provider: ElicitationProvider,
    params: Params,
    request: RequestMeta,
  ): (signal: AbortSignal) => Promise<ElicitationReply> {
    const scope = { ...scopeOf(params), ...request };
    const { message, mode } = params;
    const schema: unknown = "requestedSchema" in params ? params.requestedSchema : undefined;
    if (mode === "form" && isSchema(schema)) {
      const form = provider.form?.bind(provider);
      if (!form) throw elicitationModeError(mode);
      const faults = elicitationSchemaFaults(schema);
      if (faults.length > 0) throw invalidParamsError("elicitation/create", faults);
      const check = (content: unknown): readonly Fault[] => contentFaults(schema, content);
      return async (signal) =>
        this.#checked(await form({ ...scope, message, schema, check, signal }), check);
    }
    const address: unknown = "url" in params ? params.url : undefined;
    const elicitationId: unknown = "elicitationId" in params ? params.elicitationId : undefined;
    if (mode !== "url" || typeof address !== "string" || typeof elicitationId !== "string") {
      throw elicitationModeError(mode);
    }
    const open = provider.url?.bind(provider);
    if (!open) throw elicitationModeError(mode);
    const url = readUrl(address);
    return async (signal) => {
      this.#trackOpen(elicitationId, provider);
      const reply = await open({ ...scope, message, url, elicitationId, signal });
      if (reply.action === "accept") return { action: "accept" };
      this.#open.delete(elicitationId);
      return { action: reply.action };
    };
  }

  /** An answer that does not fit the form is a mistake of the host and is not sent to the agent. */
  #checked(
    reply: ElicitationReply,
    check: (content: unknown) => readonly Fault[],
  ): ElicitationReply {
    if (reply.action !== "accept") return { action: reply.action };
    const content = reply.content ?? {};
    const faults = check(content);
    if (faults.length === 0) return { action: "accept", content };
    log(this.#logger, "error", "the answer from the elicitation provider does not fit the form", {
      faults,
    });
    return { action: "cancel" };
  }

  #trackOpen(elicitationId: string, provider: ElicitationProvider): void {
    this.#open.set(elicitationId, provider);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
  }
}

function scopeOf(params: Params): ElicitationScope {
  return {
    sessionId: "sessionId" in params ? stringOrUndefined(params.sessionId) : undefined,
    toolCallId: "toolCallId" in params ? stringOrUndefined(params.toolCallId) : undefined,
    requestId: "requestId" in params ? readRequestId(params.requestId) : undefined,
  };
}

function readRequestId(id: unknown): RequestId {
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** Checks the type only. `elicitationSchemaFaults` reports everything else that is wrong. */
function isSchema(value: unknown): value is ElicitationSchema & Readonly<Record<string, unknown>> {
  return isJsonObject(value);
}

function readUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && SCHEMES.has(url.protocol)) return url;
  const fault = { path: "url", message: "must be an http or https address" };
  throw invalidParamsError("elicitation/create", [fault]);
}

/*
 * The schema of an elicitation form: one object of strings, numbers, booleans and choices. It comes
 * from an agent, so the schema itself is checked before any answer is checked against it.
 */

/** The field types this version supports. A field of any other type cannot be filled in. */
const FIELD_TYPES = new Set<unknown>(["string", "number", "integer", "boolean", "array"]);

/** People do not fill in more fields than this, and each one takes time to check. */
const MAX_FIELDS = 200;

/** Pure: the faults that keep a form from being shown and answered. Never throws. */
export function elicitationSchemaFaults(schema: JsonObject): readonly Fault[] {
  const at = "requestedSchema";
  const faults: Fault[] = [];
  const type = schema["type"] ?? "object";
  if (type !== "object") faults.push({ path: `${at}.type`, message: 'must be "object"' });
  const properties = schema["properties"] ?? {};
  if (!isJsonObject(properties)) {
    return [...faults, { path: `${at}.properties`, message: "must be an object" }];
  }
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) {
    return [
      ...faults,
      { path: `${at}.properties`, message: `must have at most ${MAX_FIELDS} fields` },
    ];
  }
  for (const [name, field] of entries) {
    const path = `${at}.properties.${name}`;
    if (!isJsonObject(field) || typeof field["type"] !== "string") {
      faults.push({ path, message: "must be an object with a type" });
    } else if (!isPattern(field["pattern"])) {
      faults.push({ path: `${path}.pattern`, message: "must be a regular expression" });
    }
  }
  const required = schema["required"] ?? [];
  if (!Array.isArray(required)) {
    return [...faults, { path: `${at}.required`, message: "must be an array" }];
  }
  for (const name of required) {
    const field = typeof name === "string" ? own(properties, name) : undefined;
    if (!isJsonObject(field) || !FIELD_TYPES.has(field["type"])) {
      faults.push({ path: `${at}.required`, message: "names a field that cannot be filled in" });
    }
  }
  return faults;
}

/** The faults in an answer to a form whose schema has none. Never throws. */
export function contentFaults(schema: JsonObject, content: unknown): readonly Fault[] {
  if (!isJsonObject(content)) return [{ path: "", message: "must be an object" }];
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const faults: Fault[] = [];
  for (const name of required) {
    if (typeof name === "string" && own(content, name) === undefined) {
      faults.push({ path: name, message: "is required" });
    }
  }
  for (const [name, value] of Object.entries(content)) {
    if (value === undefined) continue;
    const field = own(properties, name);
    const message = isJsonObject(field) ? fieldFault(field, value) : "is not a field of the form";
    if (message !== undefined) faults.push({ path: name, message });
  }
  return faults;
}

function fieldFault(field: JsonObject, value: unknown): string | undefined {
  switch (field["type"]) {
    case "string":
      return typeof value === "string" ? stringFault(field, value) : "must be a string";
    case "number":
      return Number.isFinite(value) ? rangeFault(field, Number(value)) : "must be a number";
    case "integer":
      return Number.isSafeInteger(value)
        ? rangeFault(field, Number(value))
        : "must be a whole number";
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "array":
      return isStringList(value) ? choicesFault(field, value) : "must be a list of strings";
    default:
      return "cannot be filled in";
  }
}

function stringFault(field: JsonObject, value: string): string | undefined {
  const { length } = Array.from(value);
  const { minLength, maxLength, pattern, format } = field;
  if (typeof minLength === "number" && length < minLength) return `is shorter than ${minLength}`;
  if (typeof maxLength === "number" && length > maxLength) return `is longer than ${maxLength}`;
  const choices = choicesOf(field, "oneOf");
  if (choices && !choices.has(value)) return "is not one of the choices";
  if (typeof pattern === "string" && !matchesFormPattern(pattern, value))
    return "does not match the pattern";
  if (typeof format === "string" && !hasFormat(format, value)) return `is not a valid ${format}`;
  return undefined;
}

function rangeFault(field: JsonObject, value: number): string | undefined {
  const { minimum, maximum } = field;
  if (typeof minimum === "number" && value < minimum) return `is less than ${minimum}`;
  if (typeof maximum === "number" && value > maximum) return `is more than ${maximum}`;
  return undefined;
}

function choicesFault(field: JsonObject, values: readonly string[]): string | undefined {
  const { minItems, maxItems, items } = field;
  if (typeof minItems === "number" && values.length < minItems) return `needs at least ${minItems}`;
  if (typeof maxItems === "number" && values.length > maxItems) return `takes at most ${maxItems}`;
  if (new Set(values).size !== values.length) return "has the same choice twice";
  const choices = isJsonObject(items) ? choicesOf(items, "anyOf") : undefined;
  if (!choices || values.some((value) => !choices.has(value))) return "is not one of the choices";
  return undefined;
}

/** The values to choose from: plain in `enum`, or each with a title. Undefined if there are none. */
function choicesOf(field: JsonObject, titled: "oneOf" | "anyOf"): ReadonlySet<unknown> | undefined {
  const plain = field["enum"];
  if (Array.isArray(plain)) return new Set<unknown>(plain);
  const options = field[titled];
  if (!Array.isArray(options)) return undefined;
  return new Set<unknown>(
    options.map((option: unknown) => (isJsonObject(option) ? option["const"] : undefined)),
  );
}

const MAX_PATTERN_CHARACTERS = 1000;

function isPattern(pattern: unknown): boolean {
  if (pattern === undefined || pattern === null) return true;
  if (typeof pattern !== "string" || pattern.length > MAX_PATTERN_CHARACTERS) return false;
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const EMAIL = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:".]+(?:\.[^\s@<>()[\]\\,;:".]+)*$/;

/** A format that this version does not know is not checked. */
function hasFormat(format: string, value: string): boolean {
  switch (format) {
    case "email":
      return value.length <= 254 && EMAIL.test(value);
    case "uri":
      return /^[a-z][a-z\d+.-]*:/i.test(value) && !/\s/.test(value) && URL.canParse(value);
    case "date":
      return DATE.test(value) && isDay(value);
    case "date-time": {
      const day = DATE_TIME.exec(value)?.[1];
      return day !== undefined && isDay(day) && !Number.isNaN(Date.parse(value));
    }
    default:
      return true;
  }
}

/** Date.parse reads 30 February as 2 March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

import { runInNewContext } from "node:vm";
import type { Fault } from "../../../acp/index.ts";
import { isJsonObject, isStringList, type JsonObject } from "../../../wire/index.ts";

/*
 * The schema of an elicitation form: one object of strings, numbers, booleans and choices. It comes
 * from an agent and is checked itself before an answer is checked against it.
 */

/** Kinds of fields this version knows. A field of any other kind cannot be filled in. */
const FIELD_TYPES = new Set<unknown>(["string", "number", "integer", "boolean", "array"]);

/** More fields than a person fills in; each costs time to check. */
const MAX_FIELDS = 200;

/** Pure: what keeps a form from being shown and answered. Total. */
export function schemaFaults(schema: JsonObject): readonly Fault[] {
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
    return [...faults, { path: `${at}.properties`, message: `must have at most ${MAX_FIELDS}` }];
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

/** What is wrong with an answer to a form whose schema has no faults. Total. */
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
    const message = isJsonObject(field) ? fieldFault(field, value) : "is not asked for";
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
      return "is a field that cannot be filled in";
  }
}

function stringFault(field: JsonObject, value: string): string | undefined {
  const { length } = Array.from(value);
  const { minLength, maxLength, pattern, format } = field;
  if (typeof minLength === "number" && length < minLength) return `is shorter than ${minLength}`;
  if (typeof maxLength === "number" && length > maxLength) return `is longer than ${maxLength}`;
  const choices = choicesOf(field, "oneOf");
  if (choices && !choices.has(value)) return "is none of the choices";
  if (typeof pattern === "string" && !matches(pattern, value)) return "does not match the pattern";
  if (typeof format === "string" && !hasFormat(format, value)) return `is no ${format}`;
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
  if (typeof minItems === "number" && values.length < minItems) return `needs ${minItems} or more`;
  if (typeof maxItems === "number" && values.length > maxItems) return `takes ${maxItems} at most`;
  if (new Set(values).size !== values.length) return "has a choice twice";
  const choices = isJsonObject(items) ? choicesOf(items, "anyOf") : undefined;
  if (!choices || values.some((value) => !choices.has(value))) return "is none of the choices";
  return undefined;
}

/** The values to choose from: plain in `enum`, or each with a title. Undefined if it is no choice. */
function choicesOf(field: JsonObject, titled: "oneOf" | "anyOf"): ReadonlySet<unknown> | undefined {
  const plain = field["enum"];
  if (Array.isArray(plain)) return new Set<unknown>(plain);
  const options = field[titled];
  if (!Array.isArray(options)) return undefined;
  return new Set<unknown>(
    options.map((option: unknown) => (isJsonObject(option) ? option["const"] : undefined)),
  );
}

/** Long enough for any honest expression on what a person typed. */
const PATTERN_MS = 100;

/** The expression is the agent's: one that would run for ever does not match. */
function matches(pattern: string, value: string): boolean {
  try {
    const sandbox = { pattern, value };
    const code = "new RegExp(pattern, 'u').test(value)";
    return runInNewContext(code, sandbox, { timeout: PATTERN_MS }) === true;
  } catch {
    return false;
  }
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

/** A format this version does not know asks for nothing. */
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

/** Date.parse takes 30 February for 2 March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

import { type JsonObject, TimeLimitError, isDeeperThan, toError } from "../../base/index.ts";
import { AnswerMismatchError, SchemaError } from "./errors.ts";
import type { FromJsonSchema } from "./json-schema.ts";
import { type StandardSchema, describeIssues, isStandardSchema } from "./standard.ts";
import { inTurn } from "./in-turn.ts";
import { compileSchema } from "./validator.ts";

/** A schema for an answer: a JSON schema, or a Standard Schema validator such as one of zod or valibot. */
export type AnswerSchema = StandardSchema | JsonObject;

/** The type of the answers that a schema describes; `unknown` for a JSON schema not `as const`. */
export type AnswerOf<S> =
  S extends StandardSchema<unknown, infer Output> ? Output : FromJsonSchema<S>;

/** How a typed answer is requested. */
export interface AnswerOptions<S extends AnswerSchema = AnswerSchema> {
  /** The schema that the answer must match. */
  readonly schema: S;
  /**
   * The JSON schema that the model sees. Default: `schema`, or the JSON schema that the validator
   * converts itself to. With neither, the model learns only from the faults of its answers.
   */
  readonly jsonSchema?: JsonObject | undefined;
  /** How often the model may correct an answer that does not match. Default: 2. */
  readonly retries?: number | undefined;
}

/** An answer that matches its schema. `Result` describes the turn that gave it. */
export interface TypedAnswer<T, Result> {
  /** The answer, as the schema returned it. */
  readonly value: T;
  /** The answer, as the agent wrote it. */
  readonly text: string;
  /** How many answers it took, 1 if the first one matched. */
  readonly attempts: number;
  /** The result of the last turn. */
  readonly result: Result;
}

/** The end of one attempt. `value` is set if the agent itself read the answer as JSON. */
export interface AnswerAttempt<Result> {
  readonly text: string;
  readonly value?: unknown;
  /** Set if the agent itself rejected the answer. */
  readonly fault?: string | undefined;
  readonly result: Result;
}

/** Asks the agent: `instructions` follow the prompt of the first attempt and replace it afterwards. */
type AskAgent<Result> = (attempt: number, instructions: string) => Promise<AnswerAttempt<Result>>;

interface PreparedSchema<T> {
  /** The JSON schema for the model; undefined if there is none. */
  readonly json: JsonObject | undefined;
  /** Resolves with the value to use, or with the faults. Rejects with TimeLimitError if it takes too long. */
  check(value: unknown): Promise<Verdict<T>>;
}

type Verdict<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Prepares a schema. Rejects with SchemaError if it cannot be used. */
export async function prepareSchema<S extends AnswerSchema>({
  schema,
  jsonSchema,
}: AnswerOptions<S>): Promise<PreparedSchema<AnswerOf<S>>> {
  // A value without faults has the type that its schema describes.
  const isValid = (value: unknown, faults: readonly unknown[]): value is AnswerOf<S> =>
    faults.length === 0;
  if (!isStandardSchema(schema)) {
    const validate = await compileSchema(schema);
    return {
      json: jsonSchema ?? schema,
      check: async (value) => {
        const faults = await inTurn(() => validate(value));
        return isValid(value, faults) ? { ok: true, value } : { ok: false, faults };
      },
    };
  }
  const standard = schema["~standard"];
  return {
    json: jsonSchema ?? convertedSchema(schema),
    check: async (given) => {
      const { value, issues = [] } = { value: undefined, ...(await standard.validate(given)) };
      if (isValid(value, issues)) return { ok: true, value };
      return { ok: false, faults: describeIssues(issues).split("\n") };
    },
  };
}

/**
 * Asks until an answer matches. Rejects with AnswerMismatchError when the retries are used up or an answer
 * takes too long to check, and as `ask` does.
 */
export async function requestAnswer<T, Result>(
  schema: PreparedSchema<T>,
  retries: number | undefined,
  ask: AskAgent<Result>,
): Promise<TypedAnswer<T, Result>> {
  const last = Math.max(0, retries ?? 2) + 1;
  let instructions = firstInstructions(schema.json);
  for (let attempts = 1; ; attempts++) {
    const { text, value, fault, result } = await ask(attempts, instructions);
    const verdict = await judge(schema, text, value, fault).catch((error: unknown) => {
      // Not retried, because each check would take that long.
      if (error instanceof TimeLimitError)
        throw new AnswerMismatchError([error.message], text, attempts);
      throw error;
    });
    if (verdict.ok) return { value: verdict.value, text, attempts, result };
    if (attempts >= last) throw new AnswerMismatchError(verdict.faults, text, attempts);
    instructions = correction(verdict.faults, schema.json);
  }
}

async function judge<T>(
  schema: PreparedSchema<T>,
  text: string,
  value: unknown,
  fault: string | undefined,
): Promise<Verdict<T>> {
  if (value !== undefined) return schema.check(value);
  const found = extractJson(text);
  if (found.ok) return schema.check(found.value);
  return { ok: false, faults: [fault ?? found.fault] };
}

function firstInstructions(json: JsonObject | undefined): string {
  const shape =
    json === undefined ? "" : `, and the JSON must match this JSON schema:\n${text(json)}`;
  return `End with a final message that is JSON only, without any other text or code fence${shape}`;
}

function correction(faults: readonly string[], json: JsonObject | undefined): string {
  const list = faults.map((fault) => `- ${fault}`).join("\n");
  const shape = json === undefined ? "" : `\nThe JSON schema is:\n${text(json)}`;
  return `Your last answer cannot be used:\n${list}\nAnswer again, with the corrected JSON only, without any other text or code fence.${shape}`;
}

function text(json: JsonObject): string {
  return JSON.stringify(json);
}

function convertedSchema(schema: StandardSchema): JsonObject | undefined {
  const { jsonSchema, vendor } = schema["~standard"];
  try {
    return jsonSchema?.input({ target: "draft-2020-12" });
  } catch (cause) {
    const message = `the schema (${vendor}) cannot be converted to a JSON schema: pass one as jsonSchema`;
    throw new SchemaError(message, { cause });
  }
}

/** The JSON value in a text, or why there is none. */
type ExtractedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: string };

/** Code that walks or serializes a value recurses. Answers that are meant to be used have a few levels. */
const MAX_DEPTH = 200;

/**
 * Finds the JSON value in an answer: the whole text, or else its last fenced block, or else the part
 * from the first to the last brace or bracket. Pure.
 */
export function extractJson(text: string): ExtractedJson {
  const whole = text.trim();
  const first = parse(whole);
  if (first.ok) return first;
  for (const candidate of [lastFenced(whole), between(whole, "{", "}"), between(whole, "[", "]")]) {
    if (candidate === undefined) continue;
    const found = parse(candidate);
    if (found.ok) return found;
  }
  return first;
}

/** The content of the last fenced block. One pass, because an expression could take forever on an answer. */
function lastFenced(text: string): string | undefined {
  const lines = text.split("\n");
  let start: number | undefined;
  let last: readonly [number, number] | undefined;
  for (const [index, line] of lines.entries()) {
    if (start === undefined) {
      if (opensFence(line)) start = index + 1;
    } else if (line.trimStart().startsWith(FENCE)) {
      last = [start, index];
      start = undefined;
    }
  }
  return last && lines.slice(...last).join("\n");
}

const FENCE = "```";

function opensFence(line: string): boolean {
  const at = line.lastIndexOf(FENCE);
  return at !== -1 && /^[a-z]*$/i.test(line.slice(at + FENCE.length).trimEnd());
}

function between(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open);
  const end = text.lastIndexOf(close);
  return start === -1 || end <= start ? undefined : text.slice(start, end + 1);
}

function parse(text: string): ExtractedJson {
  if (text === "") return { ok: false, fault: "the answer is empty" };
  try {
    const value: unknown = JSON.parse(text);
    const isDeep = typeof value === "object" && value !== null && isDeeperThan(value, MAX_DEPTH);
    if (isDeep) return { ok: false, fault: "the answer is nested too deeply" };
    return { ok: true, value };
  } catch (error) {
    return { ok: false, fault: `the answer is not valid JSON: ${toError(error).message}` };
  }
}

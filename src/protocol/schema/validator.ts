import type { ErrorObject } from "ajv";
import { type JsonObject, TimeLimitError, toError, withTimeLimit } from "../../base/index.ts";
import { SchemaError } from "./errors.ts";
import { inTurn } from "./in-turn.ts";
import { atPlace } from "./faults.ts";

/**
 * Lists the faults of a value, each with its place; none if the value matches the schema. Throws a
 * TimeLimitError if that takes too long.
 */
export type Validate = (value: unknown) => readonly string[];

/** More faults are not listed, so that a correction stays short. */
const MAX_FAULTS = 20;

/** Far more than honest schemas and answers need, even on a busy machine. */
const COMPILE_MS = 1000;
const CHECK_MS = 500;

/**
 * Compiles a JSON Schema, of draft 2020-12 or of draft 07 if its `$schema` says so. `format` is not
 * checked, and no reference outside the schema is followed. The schema and the value may be those of others:
 * both steps have a time limit. Rejects with SchemaError.
 */
export async function compileSchema(schema: JsonObject): Promise<Validate> {
  const { $schema: draft, ...rest } = schema;
  // Loaded only here: the library is larger than everything else in this layer.
  const isOld = typeof draft === "string" && draft.includes("draft-0");
  const options = {
    allErrors: true,
    strict: false,
    validateFormats: false,
    logger: false,
    // A large part that many others refer to would be repeated for each of them.
    inlineRefs: false,
  } as const;
  const ajv = isOld
    ? new (await import("ajv")).Ajv(options)
    : new (await import("ajv/dist/2020.js")).Ajv2020(options);
  try {
    const validate = await inTurn(() =>
      withTimeLimit("compiling it", COMPILE_MS, () => ajv.compile(rest)),
    );
    const check = (value: unknown): readonly string[] =>
      validate(value) ? [] : describe(validate.errors ?? []);
    return (value) => {
      try {
        return withTimeLimit("checking it against the schema", CHECK_MS, () => check(value));
      } catch (error) {
        if (error instanceof TimeLimitError) throw error;
        // Ajv 8 calls a property of the value that is named valueOf or toString.
        return [`cannot be compared with the schema: ${toError(error).message}`];
      }
    };
  } catch (cause) {
    throw new SchemaError(`the JSON schema cannot be used: ${toError(cause).message}`, { cause });
  }
}

/** The first distinct faults; a hostile schema produces millions. */
function describe(errors: readonly ErrorObject[]): readonly string[] {
  const faults = new Set<string>();
  for (const { instancePath, message, params } of errors) {
    faults.add(atPlace(stepsOf(instancePath), `${message ?? "is not valid"}${detailOf(params)}`));
    if (faults.size === MAX_FAULTS) break;
  }
  return [...faults];
}

function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The message of these two faults does not name the value it is about. */
function detailOf(params: Readonly<Record<string, unknown>>): string {
  const { additionalProperty, allowedValues } = params;
  if (typeof additionalProperty === "string") return `: ${additionalProperty}`;
  return Array.isArray(allowedValues) ? `: ${allowedValues.map(String).join(", ")}` : "";
}

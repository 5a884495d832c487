import { type JsonObject, toError } from "../wire/index.ts";
import { SchemaError } from "./errors.ts";
import { atPlace } from "./standard.ts";

/** Lists the faults of a value, each with its place; none if the value matches the schema. */
export type Validate = (value: unknown) => readonly string[];

/** More faults are not listed, so that a correction stays short. */
const MAX_FAULTS = 20;

/**
 * Compiles a JSON Schema, of draft 2020-12 or of draft 07 if its `$schema` says so. `format` is not
 * checked, and no reference outside the schema is followed. Rejects with SchemaError.
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
  } as const;
  const ajv = isOld
    ? new (await import("ajv")).Ajv(options)
    : new (await import("ajv/dist/2020.js")).Ajv2020(options);
  try {
    const validate = ajv.compile(rest);
    return (value) => {
      try {
        if (validate(value)) return [];
      } catch (error) {
        // Ajv 8 calls a property of the value that is named valueOf or toString.
        return [`cannot be compared with the schema: ${toError(error).message}`];
      }
      const faults = (validate.errors ?? []).map(({ instancePath, message, params }) =>
        atPlace(stepsOf(instancePath), `${message ?? "is not valid"}${detailOf(params)}`),
      );
      return [...new Set(faults)].slice(0, MAX_FAULTS);
    };
  } catch (cause) {
    throw new SchemaError(`the JSON schema cannot be used: ${toError(cause).message}`, { cause });
  }
}

/** The steps of a JSON pointer. */
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

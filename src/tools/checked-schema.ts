import { isJsonObject, type JsonObject } from "../base/index.ts";
import { ToolServerError } from "./errors.ts";
import {
  compileSchema,
  describeIssues,
  isStandardSchema,
  type StandardSchema,
} from "../protocol/schema/index.ts";

/** The outcome of a check: the value to use, or its faults, one per line. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: string };

/** A value after its validation, and its faults. It is valid if there are none. */
interface Validated {
  readonly value: unknown;
  readonly faults: string;
}

/** A schema of objects in both forms: for the model, and as a check. `T` is the type it describes. */
export class CheckedSchema<T> {
  readonly json: JsonObject;
  readonly #validate: (value: unknown) => Promise<Validated>;

  /**
   * `json` is the JSON Schema for a Standard Schema that has none. Throws ToolServerError if there is no
   * JSON Schema, or if it does not describe an object.
   */
  constructor(what: string, schema: StandardSchema | JsonObject, json: JsonObject | undefined) {
    if (isStandardSchema(schema)) {
      this.json = describesObject(what, json ?? jsonSchemaOf(what, schema));
      this.#validate = async (value) => byStandardSchema(schema, value);
    } else {
      this.json = describesObject(what, schema);
      let compiled: ReturnType<typeof compileSchema> | undefined;
      this.#validate = async (value) => {
        compiled ??= compileSchema(this.json);
        const validate = await compiled;
        return { value, faults: validate(value).join("\n") };
      };
    }
  }

  /** Checks a value. Rejects if the schema cannot be used, or if the validator of a Standard Schema throws. */
  async check(given: unknown): Promise<Checked<T>> {
    const { value, faults } = await this.#validate(given);
    return this.#isValid(value, faults) ? { ok: true, value } : { ok: false, faults };
  }

  #isValid(value: unknown, faults: string): value is T {
    return faults === "";
  }
}

async function byStandardSchema(schema: StandardSchema, value: unknown): Promise<Validated> {
  const result = await schema["~standard"].validate(value);
  if (!result.issues) return { value: result.value, faults: "" };
  return { value, faults: describeIssues(result.issues) || "invalid" };
}

function jsonSchemaOf(what: string, schema: StandardSchema): JsonObject {
  const { jsonSchema, vendor } = schema["~standard"];
  if (!jsonSchema) {
    const why = `the schema (${vendor}) has no JSON Schema: pass one as jsonSchema`;
    throw new ToolServerError("invalid_definition", `${what}: ${why}`);
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    const why = `the schema (${vendor}) cannot be converted to JSON Schema: pass one as jsonSchema`;
    throw new ToolServerError("invalid_definition", `${what}: ${why}`, { cause });
  }
}

/** MCP allows only schemas of objects. `$schema` is left out, because some model APIs reject it. */
function describesObject(what: string, schema: JsonObject): JsonObject {
  if (!isJsonObject(schema) || schema["type"] !== "object") {
    const why = 'the JSON Schema of the input must have the type "object"';
    throw new ToolServerError("invalid_definition", `${what}: ${why}`);
  }
  const { $schema: _, ...rest } = schema;
  return rest;
}

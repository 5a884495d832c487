import type { JsonObject } from "../../base/index.ts";
import { schemaFaults } from "./faults.ts";
import type { Validate } from "./validator.ts";

/**
 * Browsers may forbid code from text, which ajv makes of a schema. This checks the keywords that
 * `schemaFaults` knows.
 */
export function compileSchema(schema: JsonObject): Promise<Validate> {
  return Promise.resolve((value) => schemaFaults(schema, value));
}

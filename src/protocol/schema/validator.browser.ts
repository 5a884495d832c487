import type { JsonObject } from "../../base/index.ts";
import { schemaFaults } from "./faults.ts";
import type { Validate } from "./validator.ts";

/** Browsers may forbid code made from text, as ajv makes it. This knows fewer keywords. */
export function compileSchema(schema: JsonObject): Promise<Validate> {
  return Promise.resolve((value) => schemaFaults(schema, value));
}

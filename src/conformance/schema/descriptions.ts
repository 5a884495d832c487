import { isJsonObject, type JsonObject } from "../../base/index.ts";
import { methodsOf } from "./methods.ts";
import { definitionsOf, schemaName } from "./schema.ts";
import { V1_DESCRIPTIONS, V2_DESCRIPTIONS } from "./tables/descriptions.ts";

/** The fields of a message that the schema declares, by path, such as `.params.prompt[].text`. */
export type FieldDescriptions = ReadonlyMap<string, string>;

interface Walk {
  readonly definitions: JsonObject;
  readonly descriptions: JsonObject;
  readonly found: Map<string, string>;
}

const tables = new Map<1 | 2, Pick<Walk, "definitions" | "descriptions">>();

/** The tables of a version, parsed when they are first used. */
function tablesOf(protocol: 1 | 2): Pick<Walk, "definitions" | "descriptions"> {
  const known = tables.get(protocol);
  if (known) return known;
  const texts: unknown = JSON.parse(protocol === 1 ? V1_DESCRIPTIONS : V2_DESCRIPTIONS);
  const made = {
    definitions: definitionsOf(schemaName(protocol, true)),
    descriptions: isJsonObject(texts) ? texts : {},
  };
  tables.set(protocol, made);
  return made;
}

/**
 * Every field of params or of a result that the schema declares, with the schema's first sentence about it,
 * which may be empty. Empty for unknown methods. Items of lists share a path.
 */
export function describedFields(
  method: string,
  part: "params" | "result",
  value: unknown,
  protocol: 1 | 2,
): FieldDescriptions {
  const found = new Map<string, string>();
  const definition = methodsOf(protocol).get(method)?.[part];
  if (definition === undefined) return found;
  visit({ ...tablesOf(protocol), found }, definition, value, `.${part}`);
  return found;
}

function visit(walk: Walk, definition: string, value: unknown, path: string): void {
  const schema = walk.definitions[definition];
  const texts = walk.descriptions[definition];
  visitSchema(walk, schema, value, path, isJsonObject(texts) ? texts : {});
}

function visitSchema(
  walk: Walk,
  schema: unknown,
  value: unknown,
  path: string,
  texts: JsonObject,
): void {
  if (!isJsonObject(schema) || !hasConstants(walk, schema, value)) return;
  const { $ref: reference, properties, items } = schema;
  if (typeof reference === "string") visit(walk, nameIn(reference), value, path);
  if (isJsonObject(properties) && isJsonObject(value))
    for (const [key, own] of Object.entries(properties)) {
      if (!Object.hasOwn(value, key)) continue;
      const place = `${path}.${key}`;
      const text = texts[key];
      if (!walk.found.get(place)) walk.found.set(place, typeof text === "string" ? text : "");
      visitSchema(walk, own, value[key], place, {});
    }
  if (items !== undefined && Array.isArray(value))
    for (const item of value) visitSchema(walk, items, item, `${path}[]`, {});
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const parts = schema[key];
    if (Array.isArray(parts)) for (const form of parts) visitSchema(walk, form, value, path, texts);
  }
}

/** A constant, such as the kind of an update, distinguishes the forms. */
function hasConstants({ definitions }: Walk, schema: JsonObject, value: unknown): boolean {
  const { $ref: reference } = schema;
  const target = typeof reference === "string" ? definitions[nameIn(reference)] : schema;
  const properties = isJsonObject(target) ? target["properties"] : undefined;
  if (!isJsonObject(properties) || !isJsonObject(value)) return true;
  return Object.entries(properties).every(
    ([key, own]) => !isJsonObject(own) || !("const" in own) || own["const"] === value[key],
  );
}

function nameIn(reference: string): string {
  return reference.replace("#/$defs/", "");
}

import { ownFaults } from "../../protocol/schema/index.ts";
import { asObject, isJsonObject, type JsonObject } from "../../base/index.ts";

/** One fault of a value. `undeclared`: the schema does not have the property that `path` ends in. */
export interface SchemaFault {
  readonly kind: "invalid" | "undeclared";
  /** Where in the value, as a JSON pointer. */
  readonly path: string;
  readonly message: string;
}

/** A schema of JSON Schema, with only the keywords that the schemas of ACP use. */
type Schema = JsonObject | boolean;

/** A place in the value, and what the schemas that were applied there found. */
interface Visit {
  readonly path: string;
  readonly faults: SchemaFault[];
  /** The names of the properties that these schemas declare. */
  readonly declared: Set<string>;
}

/** A form of a choice, tried on the value. */
interface Attempt extends Visit {
  readonly part: Schema;
}

const STRUCTURED = ["properties", "$ref", "allOf", "anyOf", "oneOf"];
const KNOWN_KEYWORDS = new Set([
  ...STRUCTURED,
  "additionalProperties",
  "const",
  "enum",
  "items",
  "maximum",
  "minItems",
  "minLength",
  "minimum",
  "not",
  "required",
  "type",
  "unevaluatedProperties",
]);

/**
 * Validates values against the definitions of a schema, strictly: a property that no part of the
 * schema declares is a fault. Exceptions are `_meta` and values that the schema itself leaves open.
 */
export class Validator {
  readonly #definitions: JsonObject;
  /** The constants of each form that was compared, because a session has many frames of few forms. */
  readonly #constants = new WeakMap<object, readonly (readonly [string, unknown])[]>();

  /** Throws if the definitions use a keyword that this validator does not know. */
  constructor(definitions: JsonObject) {
    this.#definitions = definitions;
    for (const definition of Object.values(definitions)) assertKnown(definition);
  }

  has(definition: string): boolean {
    return Object.hasOwn(this.#definitions, definition);
  }

  /** The faults of a value that should be of this definition; empty if it is valid. */
  faults(definition: string, value: unknown): readonly SchemaFault[] {
    const faults: SchemaFault[] = [];
    this.#whole({ $ref: `#/$defs/${definition}` }, value, "", faults);
    return faults;
  }

  /** Validates a value that no other schema sees, so every property must be declared here. */
  #whole(schema: Schema, value: unknown, path: string, faults: SchemaFault[]): void {
    const visit: Visit = { path, faults, declared: new Set() };
    this.#part(schema, value, visit);
    if (!isJsonObject(value) || typeof schema === "boolean") return;
    if (!STRUCTURED.some((key) => key in schema)) return;
    for (const key of Object.keys(value)) {
      if (visit.declared.has(key)) continue;
      const at = `${path}/${key}`;
      faults.push({ kind: "undeclared", path: at, message: "is not declared by the schema" });
    }
  }

  #part(schema: Schema, value: unknown, visit: Visit): void {
    const { path, faults, declared } = visit;
    if (typeof schema === "boolean") {
      if (!schema) faults.push(invalid(path, "is not allowed"));
      return;
    }
    const own = ownFaults(schema, value);
    if (own.length > 0) return void faults.push(...own.map((fault) => invalid(path, fault)));
    if (typeof schema["$ref"] === "string") this.#part(this.#resolve(schema["$ref"]), value, visit);
    if (isJsonObject(value)) this.#object(schema, value, visit);
    if (Array.isArray(value) && schema["items"] !== undefined) {
      const items = toSchema(schema["items"]);
      value.forEach((item, index) => this.#whole(items, item, `${path}/${index}`, faults));
    }
    for (const part of list(schema["allOf"])) this.#part(part, value, visit);
    for (const key of ["anyOf", "oneOf"] as const)
      if (schema[key] !== undefined) this.#choice(list(schema[key]), key, value, visit);
    if (schema["not"] !== undefined && this.#matches(toSchema(schema["not"]), value))
      faults.push(invalid(path, "has a form that is excluded here"));
    if (schema["unevaluatedProperties"] === true && isJsonObject(value))
      for (const key of Object.keys(value)) declared.add(key);
  }

  #object(schema: JsonObject, value: JsonObject, { path, faults, declared }: Visit): void {
    const required: readonly unknown[] = Array.isArray(schema["required"])
      ? schema["required"]
      : [];
    const missing = required.filter((key) => !Object.hasOwn(value, String(key)));
    if (missing.length > 0) faults.push(invalid(path, `must have ${missing.join(", ")}`));
    const properties = asObject(schema["properties"]);
    const others = schema["additionalProperties"];
    for (const [key, own] of Object.entries(value)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : others;
      if (property === undefined) continue;
      declared.add(key);
      this.#whole(toSchema(property), own, `${path}/${key}`, faults);
    }
  }

  /** `anyOf`: at least one of the parts must match. `oneOf`: exactly one. */
  #choice(parts: readonly Schema[], how: "anyOf" | "oneOf", value: unknown, visit: Visit): void {
    const { path, faults } = visit;
    const attempts = parts.map((part) => {
      const attempt: Attempt = { part, path, faults: [], declared: new Set() };
      // A constant distinguishes most forms, and a form with another constant is skipped.
      if (parts.length > 1 && this.#hasOtherConstants(part, value))
        attempt.faults.push(invalid(path, "is another form"));
      else this.#part(part, value, attempt);
      return attempt;
    });
    const matches = attempts.filter((attempt) => attempt.faults.every(isUndeclared));
    const clean = matches.filter((attempt) => attempt.faults.length === 0);
    // The form that was meant is the one whose constants the value has.
    const isMeant = ({ part }: Attempt): boolean => this.#hasConstants(part, value);
    let chosen = clean;
    if (chosen.length === 0) chosen = matches.filter(isMeant);
    if (chosen.length === 0) chosen = matches;
    if (chosen.length === 0) chosen = attempts.filter(isMeant).slice(0, 1);
    if (chosen.length === 0 && attempts.length === 1) chosen = attempts;
    if (chosen.length === 0) {
      for (const key of Object.keys(asObject(value))) visit.declared.add(key);
      faults.push(invalid(path, `has none of the ${attempts.length} allowed forms`));
    }
    for (const { declared } of chosen) for (const name of declared) visit.declared.add(name);
    if (how === "oneOf" && clean.length > 1)
      faults.push(invalid(path, `has ${clean.length} forms at once, where one is allowed`));
    faults.push(...(chosen[0]?.faults ?? []));
  }

  #hasConstants(part: Schema, value: unknown): boolean {
    if (!isJsonObject(value)) return false;
    const constants = this.#constantsOf(part);
    return constants.length > 0 && constants.every(([key, constant]) => constant === value[key]);
  }

  /** Whether a field of the value differs from the constant that the form has for it. */
  #hasOtherConstants(part: Schema, value: unknown): boolean {
    if (!isJsonObject(value)) return false;
    return this.#constantsOf(part).some(
      ([key, constant]) => value[key] !== undefined && value[key] !== constant,
    );
  }

  /** The constant properties of a form. They are simple values. */
  #constantsOf(part: Schema): readonly (readonly [string, unknown])[] {
    if (typeof part === "boolean") return [];
    const known = this.#constants.get(part);
    if (known) return known;
    const properties = asObject(part["properties"]);
    const constants = Object.entries(properties).flatMap(([key, schema]) =>
      isJsonObject(schema) && "const" in schema ? [[key, schema["const"]] as const] : [],
    );
    this.#constants.set(part, constants);
    return constants;
  }

  #matches(schema: Schema, value: unknown): boolean {
    const visit: Visit = { path: "", faults: [], declared: new Set() };
    this.#part(schema, value, visit);
    return visit.faults.every(isUndeclared);
  }

  #resolve(reference: string): Schema {
    const name = reference.replace("#/$defs/", "");
    if (!this.has(name)) throw new Error(`the schema has no ${name}`);
    return toSchema(this.#definitions[name]);
  }
}

function isUndeclared({ kind }: SchemaFault): boolean {
  return kind === "undeclared";
}

function invalid(path: string, message: string): SchemaFault {
  return { kind: "invalid", path, message };
}

function toSchema(value: unknown): Schema {
  if (typeof value === "boolean" || isJsonObject(value)) return value;
  throw new Error("a schema is neither an object nor a boolean");
}

function list(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.map(toSchema) : [];
}

function assertKnown(schema: unknown): void {
  if (!isJsonObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (!KNOWN_KEYWORDS.has(key)) throw new Error(`the schema uses the unknown keyword ${key}`);
    if (key === "properties" && isJsonObject(value)) Object.values(value).forEach(assertKnown);
    else if (Array.isArray(value)) value.forEach(assertKnown);
    else if (key === "items" || key === "additionalProperties" || key === "not") assertKnown(value);
  }
}

import { isJsonObject, type JsonObject } from "../../base/index.ts";

/** One fault of a value. `undeclared`: the schema does not have the property that `path` ends in. */
export interface SchemaFault {
  readonly kind: "invalid" | "undeclared";
  /** Where in the value, as a JSON pointer. */
  readonly path: string;
  readonly message: string;
}

/** A schema of JSON Schema, with only the keywords that the schemas of ACP use. */
type Schema = JsonObject | boolean;

/** The names of the properties that the schemas visited so far have declared. */
type Declared = Set<string>;

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
    const declared: Declared = new Set();
    this.#part(schema, value, path, faults, declared);
    if (!isJsonObject(value) || typeof schema === "boolean") return;
    if (!STRUCTURED.some((key) => key in schema)) return;
    for (const key of Object.keys(value)) {
      if (declared.has(key)) continue;
      const at = `${path}/${key}`;
      faults.push({ kind: "undeclared", path: at, message: "is not declared by the schema" });
    }
  }

  #part(
    schema: Schema,
    value: unknown,
    path: string,
    faults: SchemaFault[],
    declared: Declared,
  ): void {
    if (typeof schema === "boolean") {
      if (!schema) faults.push(invalid(path, "is not allowed"));
      return;
    }
    const fault = simpleFault(schema, value);
    if (fault !== undefined) {
      faults.push(invalid(path, fault));
      return;
    }
    if (typeof schema["$ref"] === "string") {
      this.#part(this.#resolve(schema["$ref"]), value, path, faults, declared);
    }
    if (isJsonObject(value)) this.#object(schema, value, path, faults, declared);
    if (Array.isArray(value) && schema["items"] !== undefined) {
      const items = toSchema(schema["items"]);
      value.forEach((item, index) => this.#whole(items, item, `${path}/${index}`, faults));
    }
    for (const part of list(schema["allOf"])) this.#part(part, value, path, faults, declared);
    if (schema["anyOf"] !== undefined) {
      this.#choice(list(schema["anyOf"]), "any", value, path, faults, declared);
    }
    if (schema["oneOf"] !== undefined) {
      this.#choice(list(schema["oneOf"]), "one", value, path, faults, declared);
    }
    if (schema["not"] !== undefined && this.#matches(toSchema(schema["not"]), value)) {
      faults.push(invalid(path, "has a form that is excluded here"));
    }
    if (schema["unevaluatedProperties"] === true && isJsonObject(value)) {
      for (const key of Object.keys(value)) declared.add(key);
    }
  }

  #object(
    schema: JsonObject,
    value: JsonObject,
    path: string,
    faults: SchemaFault[],
    declared: Declared,
  ): void {
    const required: readonly unknown[] = Array.isArray(schema["required"])
      ? schema["required"]
      : [];
    const missing = required.filter((key) => !Object.hasOwn(value, String(key)));
    if (missing.length > 0) faults.push(invalid(path, `must have ${missing.join(", ")}`));
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    for (const key of Object.keys(properties)) {
      if (!Object.hasOwn(value, key)) continue;
      declared.add(key);
      this.#whole(toSchema(properties[key]), value[key], `${path}/${key}`, faults);
    }
    const others = schema["additionalProperties"];
    if (others === undefined) return;
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(properties, key)) continue;
      declared.add(key);
      this.#whole(toSchema(others), value[key], `${path}/${key}`, faults);
    }
  }

  /** `any`: at least one of the parts must match. `one`: exactly one. */
  #choice(
    parts: readonly Schema[],
    how: "any" | "one",
    value: unknown,
    path: string,
    faults: SchemaFault[],
    declared: Declared,
  ): void {
    const attempts = parts.map((part) => {
      const found: SchemaFault[] = [];
      const names: Declared = new Set();
      // A constant distinguishes most forms, and a form with another constant is skipped.
      if (parts.length > 1 && this.#hasOtherConstants(part, value)) {
        found.push(invalid(path, "is another form"));
        return { part, found, names };
      }
      this.#part(part, value, path, found, names);
      return { part, found, names };
    });
    const matches = attempts.filter(({ found }) => found.every(isUndeclared));
    const clean = matches.filter(({ found }) => found.length === 0);
    // If every matching form has undeclared properties, the one that was meant is reported.
    const meant = matches.filter(({ part }) => this.#hasConstants(part, value));
    const counted = [clean, meant, matches].find((some) => some.length > 0) ?? [];
    for (const { names } of counted) for (const name of names) declared.add(name);
    const [first] = counted;
    if (!first) return this.#noMatch(attempts, value, path, faults, declared);
    if (how === "one" && clean.length > 1) {
      faults.push(invalid(path, `has ${clean.length} forms at once, where one is allowed`));
    }
    faults.push(...first.found);
  }

  /** Reports the faults of the form that was meant: the one whose constants the value has. */
  #noMatch(
    attempts: readonly { part: Schema; found: SchemaFault[]; names: Declared }[],
    value: unknown,
    path: string,
    faults: SchemaFault[],
    declared: Declared,
  ): void {
    const meant = attempts.filter(({ part }) => this.#hasConstants(part, value));
    const [only] = meant.length > 0 ? meant : attempts.length === 1 ? attempts : [];
    if (!only) {
      if (isJsonObject(value)) for (const key of Object.keys(value)) declared.add(key);
      faults.push(invalid(path, `has none of the ${attempts.length} allowed forms`));
      return;
    }
    for (const name of only.names) declared.add(name);
    faults.push(...only.found);
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
    const properties = isJsonObject(part["properties"]) ? part["properties"] : {};
    const constants = Object.entries(properties).flatMap(([key, schema]) =>
      isJsonObject(schema) && "const" in schema ? [[key, schema["const"]] as const] : [],
    );
    this.#constants.set(part, constants);
    return constants;
  }

  #matches(schema: Schema, value: unknown): boolean {
    const faults: SchemaFault[] = [];
    this.#part(schema, value, "", faults, new Set());
    return faults.every(isUndeclared);
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

/** The fault that the keywords without subschemas find. */
function simpleFault(schema: JsonObject, value: unknown): string | undefined {
  const { type } = schema;
  if (type !== undefined && !isOfType(type, value)) return `must be ${describeType(type)}`;
  if ("const" in schema && schema["const"] !== value) {
    return `must be ${JSON.stringify(schema["const"])}`;
  }
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value)) {
    return `must be one of ${schema["enum"].map((one) => JSON.stringify(one)).join(", ")}`;
  }
  if (typeof value === "number") {
    const { minimum, maximum } = schema;
    if (typeof minimum === "number" && value < minimum) return `must be at least ${minimum}`;
    if (typeof maximum === "number" && value > maximum) return `must be at most ${maximum}`;
  }
  const { minLength, minItems } = schema;
  if (typeof value === "string" && typeof minLength === "number" && value.length < minLength) {
    return `must have at least ${minLength} characters`;
  }
  if (Array.isArray(value) && typeof minItems === "number" && value.length < minItems) {
    return `must have at least ${minItems} items`;
  }
  return undefined;
}

function isOfType(type: unknown, value: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => isOfType(one, value));
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function describeType(type: unknown): string {
  if (Array.isArray(type)) return type.map(describeType).join(" or ");
  switch (type) {
    case "null":
      return "null";
    case "array":
    case "object":
    case "integer":
      return `an ${type}`;
    default:
      return `a ${String(type)}`;
  }
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

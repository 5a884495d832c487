import { isJsonObject, type JsonObject } from "../../base/index.ts";

/** More faults are not listed, so that the message stays short. */
const MAX_FAULTS = 10;
/** Schemas that contain themselves, and deep values, end here. */
const MAX_DEPTH = 64;

interface Place {
  readonly root: JsonObject;
  readonly path: readonly (string | number)[];
  readonly depth: number;
}

/**
 * Lists the faults of a value, each with its place; none if the value is valid. It checks `type`,
 * `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`, `anyOf`, `oneOf`, `allOf`,
 * the limits of numbers, strings and lists, `pattern`, and `$ref` inside the schema. Other keywords are
 * ignored. Never throws.
 */
export function schemaFaults(schema: JsonObject, value: unknown): readonly string[] {
  return faultsOf(schema, value, { root: schema, path: [], depth: 0 }).slice(0, MAX_FAULTS);
}

function faultsOf(schema: unknown, value: unknown, place: Place): string[] {
  if (schema === false) return [atPlace(place.path, "is not allowed")];
  if (!isJsonObject(schema) || place.depth > MAX_DEPTH) return [];
  const { $ref } = schema;
  if (typeof $ref === "string") {
    const target = resolveRef(place.root, $ref);
    return faultsOf(target, value, { ...place, depth: place.depth + 1 });
  }
  const own = ownFaults(schema, value).map((fault) => atPlace(place.path, fault));
  if (typeFault(schema, value) !== undefined) return own;
  return [
    ...own,
    ...(isJsonObject(value) ? objectFaults(schema, value, place) : []),
    ...(isList(value) ? listFaults(schema, value, place) : []),
    ...combinedFaults(schema, value, place),
  ];
}

/** Follows a reference inside the schema, such as `#/$defs/item`. An unknown one allows everything. */
function resolveRef(root: JsonObject, ref: string): unknown {
  if (!ref.startsWith("#")) return true;
  let found: unknown = root;
  for (const part of ref.slice(1).split("/").filter(Boolean)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isJsonObject(found) || !Object.hasOwn(found, key)) return true;
    found = found[key];
  }
  return found;
}

function typeFault({ type }: JsonObject, value: unknown): string | undefined {
  const allowed = isList(type) ? type : [type];
  if (type === undefined || allowed.some((name) => hasType(value, name))) return undefined;
  return `expected ${allowed.join(" or ")}, received ${typeName(value)}`;
}

function hasType(value: unknown, name: unknown): boolean {
  switch (name) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === name;
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return isList(value);
    case "object":
      return isJsonObject(value);
    default:
      return true;
  }
}

function typeName(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return isList(value) ? "array" : typeof value;
}

/** The faults that the keywords without subschemas find. */
export function ownFaults(schema: JsonObject, value: unknown): readonly string[] {
  const wrongType = typeFault(schema, value);
  if (wrongType !== undefined) return [wrongType];
  const faults: string[] = [];
  const { enum: options, const: only } = schema;
  if (isList(options) && !options.some((option) => isSame(option, value)))
    faults.push(`expected one of ${options.map((option) => JSON.stringify(option)).join(", ")}`);
  if (only !== undefined && !isSame(only, value)) faults.push(`expected ${JSON.stringify(only)}`);
  if (typeof value === "number") faults.push(...numberFaults(schema, value));
  if (typeof value === "string") faults.push(...textFaults(schema, value));
  if (isList(value)) faults.push(...lengthFaults(schema, value));
  return faults;
}

function numberFaults(schema: JsonObject, value: number): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return [
    ...(isNumber(minimum) && value < minimum ? [`must be at least ${minimum}`] : []),
    ...(isNumber(maximum) && value > maximum ? [`must be at most ${maximum}`] : []),
    ...(isNumber(exclusiveMinimum) && value <= exclusiveMinimum
      ? [`must be greater than ${exclusiveMinimum}`]
      : []),
    ...(isNumber(exclusiveMaximum) && value >= exclusiveMaximum
      ? [`must be less than ${exclusiveMaximum}`]
      : []),
    ...(isNumber(multipleOf) && multipleOf > 0 && !Number.isInteger(value / multipleOf)
      ? [`must be a multiple of ${multipleOf}`]
      : []),
  ];
}

function textFaults({ minLength, maxLength, pattern }: JsonObject, value: string): string[] {
  const isLimited = minLength !== undefined || maxLength !== undefined;
  const length = isLimited ? Array.from(value).length : 0;
  return [
    ...(isNumber(minLength) && length < minLength
      ? [`must have at least ${minLength} characters`]
      : []),
    ...(isNumber(maxLength) && length > maxLength
      ? [`must have at most ${maxLength} characters`]
      : []),
    ...(typeof pattern === "string" && !matches(pattern, value)
      ? [`must match the pattern ${pattern}`]
      : []),
  ];
}

/** A pattern that is not a regular expression of JavaScript matches everything. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

function objectFaults(schema: JsonObject, value: JsonObject, place: Place): string[] {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = isList(schema["required"]) ? schema["required"] : [];
  const rest = schema["additionalProperties"];
  const hasPatterns = isJsonObject(schema["patternProperties"]);
  return [
    ...required.flatMap((key) =>
      typeof key === "string" && !Object.hasOwn(value, key)
        ? [atPlace([...place.path, key], "is required")]
        : [],
    ),
    ...Object.entries(value).flatMap(([key, child]) => {
      const inside = { ...place, path: [...place.path, key], depth: place.depth + 1 };
      if (Object.hasOwn(properties, key)) return faultsOf(properties[key], child, inside);
      return hasPatterns ? [] : faultsOf(rest, child, inside);
    }),
  ];
}

function lengthFaults(
  { minItems, maxItems }: JsonObject,
  { length }: readonly unknown[],
): string[] {
  return [
    ...(isNumber(minItems) && length < minItems ? [`must have at least ${minItems} items`] : []),
    ...(isNumber(maxItems) && length > maxItems ? [`must have at most ${maxItems} items`] : []),
  ];
}

function listFaults(schema: JsonObject, value: readonly unknown[], place: Place): string[] {
  const { items, prefixItems } = schema;
  const first = isList(prefixItems) ? prefixItems : [];
  return value.flatMap((child, index) => {
    const inside = { ...place, path: [...place.path, index], depth: place.depth + 1 };
    return faultsOf(index < first.length ? first[index] : items, child, inside);
  });
}

function combinedFaults(schema: JsonObject, value: unknown, place: Place): string[] {
  const { anyOf, oneOf, allOf } = schema;
  const inside = { ...place, depth: place.depth + 1 };
  const fitting = (options: readonly unknown[]): number =>
    options.filter((option) => faultsOf(option, value, inside).length === 0).length;
  return [
    ...(isList(allOf) ? allOf.flatMap((option) => faultsOf(option, value, inside)) : []),
    ...(isList(anyOf) && fitting(anyOf) === 0
      ? [atPlace(place.path, "matches none of the allowed forms")]
      : []),
    ...(isList(oneOf) && fitting(oneOf) !== 1
      ? [atPlace(place.path, "must match exactly one of the allowed forms")]
      : []),
  ];
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object") return false;
  return JSON.stringify(left) === JSON.stringify(right);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** A fault with its place in a value; without the place if it is about the whole value. */
export function atPlace(path: readonly PropertyKey[], message: string): string {
  return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
}

import { describe } from "../errors.ts";
import { isJsonObject as isObject, type JsonObject } from "../../../base/index.ts";
import { isAbsolutePath } from "./guards.ts";

/** One fault in a value. `path` is empty for the value itself. */
export interface Fault {
  /** The place of the fault, such as `prompt[0].text`. */
  readonly path: string;
  /** The rule that the value breaks, such as `must be a string`. */
  readonly message: string;
}

/** A description of the values of type `T`, with two ways to check one. */
export interface Shape<T = unknown> {
  /** Adds every fault of a value, including those of optional fields. Never throws. */
  readonly check: (value: unknown, path: string, faults: Faults) => void;
  /**
   * Whether a value has the required fields. It ignores optional fields: the value is kept even if one
   * of them has the wrong type.
   */
  readonly accepts: (value: unknown) => value is T;
}

/** The type of the values that a shape describes. */
export type ValueOf<S> = S extends Shape<infer T> ? T : never;

/** A value of another type than the one that belongs there. */
interface Mismatch {
  readonly path: string;
  readonly expected: string;
  readonly received: unknown;
}

/** A peer can send millions of invalid items. The response must not grow with them. */
const MAX_FAULTS = 100;

/** Collects faults up to a limit and counts the others. */
export class Faults {
  readonly #list: Fault[] = [];
  #more = 0;
  /** The first value of a wrong type. */
  mismatch: Mismatch | undefined;

  add(path: string, message: string): void {
    if (this.#list.length < MAX_FAULTS) this.#list.push({ path, message });
    else this.#more++;
  }

  expected(path: string, expected: string, received: unknown): void {
    this.mismatch ??= { path, expected, received };
    this.add(path, `must be ${expected}, but is ${describe(received)}`);
  }

  list(): readonly Fault[] {
    if (this.#more === 0) return this.#list;
    return [...this.#list, { path: "", message: `and ${this.#more} more` }];
  }
}

/** Whether a value has no faults; adds those that it has. */
export function fits<T>(shape: Shape<T>, value: unknown, faults: Faults): value is T {
  shape.check(value, "", faults);
  return faults.list().length === 0;
}

/* @__NO_SIDE_EFFECTS__ */
export function simple<T>(expected: string, accepts: (value: unknown) => boolean): Shape<T> {
  return {
    accepts: (value): value is T => accepts(value),
    check: (value, path, faults) => {
      if (!accepts(value)) faults.expected(path, expected, value);
    },
  };
}

const isNatural = (value: unknown) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;

export const anything = simple<unknown>("anything", () => true);
export const text = simple<string>("a string", (value) => typeof value === "string");
export const boolean = simple<boolean>("a boolean", (value) => typeof value === "boolean");
export const number = simple<number>("a number", (value) => typeof value === "number");
export const integer = simple<number>("an integer", (value) => Number.isInteger(value));
export const natural = simple<number>("a whole number, 0 or more", isNatural);
export const natural16 = simple<number>(
  "a whole number from 0 to 65535",
  (value) => isNatural(value) && Number(value) <= 0xffff,
);
export const anyObject = simple<JsonObject>("an object", isObject);
export const id = simple<string>(
  "a non-empty string",
  (value) => typeof value === "string" && value !== "",
);
export const requestId = simple<string | number | null>(
  "a string, an integer or null",
  (value) => value === null || typeof value === "string" || Number.isInteger(value),
);
export const absolutePath = simple<string>("an absolute path", isAbsolutePath);

/** An object with these fields of `T`, each checked by its shape. Other fields pass. */
/* @__NO_SIDE_EFFECTS__ */
export function object<T = JsonObject>(fields: {
  readonly [K in keyof T & string]?: Shape;
}): Shape<T> {
  const entries = Object.entries<Shape | undefined>(fields);
  return {
    // The keys are ours, so this reads them without a look at who owns them, because it is faster.
    accepts: (value): value is T =>
      isObject(value) && entries.every(([key, shape]) => shape?.accepts(value[key]) === true),
    check: (value, path, faults) => {
      if (!isObject(value)) return faults.expected(path, "an object", value);
      for (const [key, shape] of entries) shape?.check(ownField(value, key), at(path, key), faults);
    },
  };
}

function ownField(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function at(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** Both shapes at once, for a part that several objects share. */
/* @__NO_SIDE_EFFECTS__ */
export function both<T>(first: Shape, second: Shape): Shape<T> {
  return {
    accepts: (value): value is T => first.accepts(value) && second.accepts(value),
    check: (value, path, faults) => {
      first.check(value, path, faults);
      if (isObject(value)) second.check(value, path, faults);
    },
  };
}

/** Either of two shapes. The faults of other values are those of the first. */
/* @__NO_SIDE_EFFECTS__ */
export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return {
    accepts: (value): value is A | B => first.accepts(value) || second.accepts(value),
    check: (value, path, faults) => {
      if (!second.accepts(value)) first.check(value, path, faults);
    },
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function array<T>(item: Shape<T>): Shape<T[]> {
  return {
    accepts: (value): value is T[] => Array.isArray(value) && value.every(item.accepts),
    check: (value, path, faults) => {
      if (!Array.isArray(value)) return faults.expected(path, "an array", value);
      for (let i = 0; i < value.length; i++) item.check(value[i], `${path}[${i}]`, faults);
    },
  };
}

/** An object whose values, under any name, have the shape. */
/* @__NO_SIDE_EFFECTS__ */
export function mapOf<T>(item: Shape<T>): Shape<Record<string, T>> {
  return {
    accepts: (value): value is Record<string, T> =>
      isObject(value) && Object.values(value).every(item.accepts),
    check: (value, path, faults) => {
      if (!isObject(value)) return faults.expected(path, "an object", value);
      for (const [key, one] of Object.entries(value)) item.check(one, at(path, key), faults);
    },
  };
}

/** Omitted, null, or of the shape. Null is allowed everywhere, because peers send it for "none". */
/* @__NO_SIDE_EFFECTS__ */
export function ifGiven<T>(shape: Shape<T>): Shape<T | null | undefined> {
  return {
    accepts: (value): value is T | null | undefined =>
      value === undefined || value === null || shape.accepts(value),
    check: (value, path, faults) => {
      if (value !== undefined && value !== null) shape.check(value, path, faults);
    },
  };
}

/** The same for a field that is no reason to reject the object that it is in. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(shape: Shape<T>): Shape<T | null | undefined> {
  return {
    ...ifGiven(shape),
    accepts: (value): value is T | null | undefined => anything.accepts(value),
  };
}

/** An object whose shape depends on the word under `tag`. Without that word, `untagged` applies, if given. */
/* @__NO_SIDE_EFFECTS__ */
export function tagged<T>(
  tag: string,
  cases: { readonly [word: string]: Shape },
  untagged?: Shape,
): Shape<T> {
  const known = new Map(Object.entries(cases));
  const words = [...known.keys()].map((word) => `"${word}"`).join(", ");
  const shapeFor = (word: unknown): Shape | undefined => {
    if (typeof word === "string") return known.get(word);
    return word === undefined || word === null ? untagged : undefined;
  };
  return {
    accepts: (value): value is T =>
      isObject(value) && shapeFor(value[tag])?.accepts(value) === true,
    check: (value, path, faults) => {
      if (!isObject(value)) return faults.expected(path, "an object", value);
      const word = ownField(value, tag);
      const shape = shapeFor(word);
      if (shape) shape.check(value, path, faults);
      else faults.expected(at(path, tag), `one of ${words}`, word);
    },
  };
}

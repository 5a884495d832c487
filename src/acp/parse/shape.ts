import { describe } from "../errors.ts";
import { isObject } from "./guards.ts";

/** One thing wrong with a value. `path` is empty for the value itself. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Checks a value and notes every fault it finds. Never throws. */
export type Shape = (value: unknown, path: string, faults: Faults) => void;

/** A peer can send millions of wrong items; the answer must not grow with them. */
const MAX_FAULTS = 100;

/** Collects faults, up to a bound, and counts the rest. */
export class Faults {
  readonly #list: Fault[] = [];
  #more = 0;

  add(path: string, message: string): void {
    if (this.#list.length < MAX_FAULTS) this.#list.push({ path, message });
    else this.#more++;
  }

  list(): readonly Fault[] {
    if (this.#more === 0) return this.#list;
    return [...this.#list, { path: "", message: `and ${this.#more} more` }];
  }
}

/** All faults of a value under a shape. */
export function faultsOf(shape: Shape, value: unknown): readonly Fault[] {
  const faults = new Faults();
  shape(value, "", faults);
  return faults.list();
}

function simple(expected: string, valid: (value: unknown) => boolean): Shape {
  return (value, path, faults) => {
    if (!valid(value)) faults.add(path, `must be ${expected}, but is ${describe(value)}`);
  };
}

const isNatural = (value: unknown) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;

export const anything: Shape = () => {};
export const text = simple("a string", (value) => typeof value === "string");
export const boolean = simple("a boolean", (value) => typeof value === "boolean");
export const natural = simple("a whole number, 0 or more", isNatural);
export const natural16 = simple(
  "a whole number from 0 to 65535",
  (value) => isNatural(value) && Number(value) <= 0xffff,
);
export const anyObject = simple("an object", isObject);
export const id = simple(
  "a non-empty string",
  (value) => typeof value === "string" && value !== "",
);
export const requestId = simple(
  "a string, an integer or null",
  (value) => value === null || typeof value === "string" || Number.isInteger(value),
);
export const absolutePath = simple("an absolute path", isAbsolutePath);

/** Absolute on POSIX or on Windows: peers on two sides of a container or WSL may differ. */
export function isAbsolutePath(value: unknown): value is string {
  if (typeof value !== "string" || value.includes("\0")) return false;
  return value.startsWith("/") || value.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(value);
}

/** An object with these fields, each checked by its shape; other fields are let through. */
export function object(fields: { readonly [key: string]: Shape }): Shape {
  const entries = Object.entries(fields);
  return (value, path, faults) => {
    if (!isObject(value)) {
      faults.add(path, `must be an object, but is ${describe(value)}`);
      return;
    }
    for (const [key, shape] of entries) {
      const field = Object.hasOwn(value, key) ? value[key] : undefined;
      shape(field, path === "" ? key : `${path}.${key}`, faults);
    }
  };
}

/** Both shapes at once, for a part shared by several objects. */
export function both(first: Shape, second: Shape): Shape {
  return (value, path, faults) => {
    first(value, path, faults);
    if (isObject(value)) second(value, path, faults);
  };
}

export function array(item: Shape): Shape {
  return (value, path, faults) => {
    if (!Array.isArray(value)) {
      faults.add(path, `must be an array, but is ${describe(value)}`);
      return;
    }
    for (let i = 0; i < value.length; i++) item(value[i], `${path}[${i}]`, faults);
  };
}

/** Omitted, null, or of the shape. Null too where the schema has none: peers send it for "none". */
export function optional(shape: Shape): Shape {
  return (value, path, faults) => {
    if (value !== undefined && value !== null) shape(value, path, faults);
  };
}

/** An object told apart by the word under `tag`; without that word, `untagged` if given. */
export function tagged(
  tag: string,
  cases: { readonly [word: string]: Shape },
  untagged?: Shape,
): Shape {
  const known = new Map(Object.entries(cases));
  const words = [...known.keys()].map((word) => `"${word}"`).join(", ");
  return (value, path, faults) => {
    if (!isObject(value)) {
      faults.add(path, `must be an object, but is ${describe(value)}`);
      return;
    }
    const word = Object.hasOwn(value, tag) ? value[tag] : undefined;
    const shape = typeof word === "string" ? known.get(word) : undefined;
    if (shape !== undefined) shape(value, path, faults);
    else if (untagged !== undefined && (word === undefined || word === null)) {
      untagged(value, path, faults);
    } else {
      const place = path === "" ? tag : `${path}.${tag}`;
      faults.add(place, `must be one of ${words}, but is ${describe(word)}`);
    }
  };
}

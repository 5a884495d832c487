import { describe } from "../errors.ts";
import { isJsonObject as isObject, type JsonObject } from "../../../base/index.ts";

/** One fault in a value. `path` is empty for the value itself. */
export interface Fault {
  /** The place of the fault, such as `prompt[0].text`. */
  readonly path: string;
  /** The rule that the value breaks, such as `must be a string`. */
  readonly message: string;
}

/** A description of a value, with two ways to check it. */
export interface Shape {
  /** Adds every fault of a value, including those of optional fields. Never throws. */
  readonly check: (value: unknown, path: string, faults: Faults) => void;
  /**
   * Whether a value has the required fields. It ignores optional fields: the value is kept even if one
   * of them has the wrong type.
   */
  readonly accepts: (value: unknown) => boolean;
}

/** A peer can send millions of invalid items. The response must not grow with them. */
const MAX_FAULTS = 100;

/** Collects faults up to a limit and counts the others. */
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

/** All faults of a value, as the shape reports them. */
export function faultsOf(shape: Shape, value: unknown): readonly Fault[] {
  const faults = new Faults();
  shape.check(value, "", faults);
  return faults.list();
}

/* @__NO_SIDE_EFFECTS__ */
function simple(expected: string, accepts: (value: unknown) => boolean): Shape {
  return {
    accepts,
    check: (value, path, faults) => {
      if (!accepts(value)) faults.add(path, `must be ${expected}, but is ${describe(value)}`);
    },
  };
}

const isNatural = (value: unknown) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;

export const anything: Shape = { check: () => {}, accepts: () => true };
export const text = simple("a string", (value) => typeof value === "string");
export const boolean = simple("a boolean", (value) => typeof value === "boolean");
export const integer = simple("an integer", (value) => Number.isInteger(value));
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

/** Absolute on POSIX or on Windows, because peers across a container or WSL boundary may differ. */
export function isAbsolutePath(value: unknown): value is string {
  if (typeof value !== "string" || value.includes("\0")) return false;
  return value.startsWith("/") || value.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(value);
}

/** An object with these fields, each checked by its shape. Other fields pass. */
/* @__NO_SIDE_EFFECTS__ */
export function object(fields: { readonly [key: string]: Shape }): Shape {
  const entries = Object.entries(fields);
  const required = entries.filter(([, shape]) => !optionals.has(shape));
  const accepts = required.map(([key, shape]) => hasField(key, shape.accepts));
  return {
    accepts: (value) => isObject(value) && accepts.every((accept) => accept(value)),
    check: (value, path, faults) => {
      if (!isObject(value)) {
        faults.add(path, `must be an object, but is ${describe(value)}`);
        return;
      }
      for (const [key, shape] of entries) {
        shape.check(ownField(value, key), path === "" ? key : `${path}.${key}`, faults);
      }
    },
  };
}

/** Every update passes here, so the key is read without a look at who owns it: it is one of ours. */
function hasField(
  key: string,
  accepts: (value: unknown) => boolean,
): (value: JsonObject) => boolean {
  return (value) => accepts(value[key]);
}

function ownField(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Both shapes at once, for a part that several objects share. */
/* @__NO_SIDE_EFFECTS__ */
export function both(first: Shape, second: Shape): Shape {
  return {
    accepts: (value) => first.accepts(value) && second.accepts(value),
    check: (value, path, faults) => {
      first.check(value, path, faults);
      if (isObject(value)) second.check(value, path, faults);
    },
  };
}

/* @__NO_SIDE_EFFECTS__ */
export function array(item: Shape): Shape {
  return {
    accepts: (value) => Array.isArray(value) && value.every(item.accepts),
    check: (value, path, faults) => {
      if (!Array.isArray(value)) {
        faults.add(path, `must be an array, but is ${describe(value)}`);
        return;
      }
      for (let i = 0; i < value.length; i++) item.check(value[i], `${path}[${i}]`, faults);
    },
  };
}

/** An object whose values, under any name, have the shape. */
/* @__NO_SIDE_EFFECTS__ */
export function mapOf(item: Shape): Shape {
  return {
    accepts: (value) => isObject(value) && Object.values(value).every(item.accepts),
    check: (value, path, faults) => {
      if (!isObject(value)) {
        faults.add(path, `must be an object, but is ${describe(value)}`);
        return;
      }
      for (const [key, one] of Object.entries(value)) item.check(one, `${path}.${key}`, faults);
    },
  };
}

const optionals = new WeakSet<Shape>();

/** Omitted, null, or of the shape. Null is allowed everywhere, because peers send it for "none". */
/* @__NO_SIDE_EFFECTS__ */
export function optional(shape: Shape): Shape {
  const checked: Shape = {
    accepts: () => true,
    check: (value, path, faults) => {
      if (value !== undefined && value !== null) shape.check(value, path, faults);
    },
  };
  optionals.add(checked);
  return checked;
}

/** An object whose shape depends on the word under `tag`. Without that word, `untagged` applies, if given. */
/* @__NO_SIDE_EFFECTS__ */
export function tagged(
  tag: string,
  cases: { readonly [word: string]: Shape },
  untagged?: Shape,
): Shape {
  const known = new Map(Object.entries(cases));
  const words = [...known.keys()].map((word) => `"${word}"`).join(", ");
  const shapeFor = (word: unknown): Shape | undefined => {
    if (typeof word === "string") return known.get(word);
    return word === undefined || word === null ? untagged : undefined;
  };
  return {
    accepts: (value) => isObject(value) && shapeFor(value[tag])?.accepts(value) === true,
    check: (value, path, faults) => {
      if (!isObject(value)) {
        faults.add(path, `must be an object, but is ${describe(value)}`);
        return;
      }
      const word = ownField(value, tag);
      const shape = shapeFor(word);
      if (shape !== undefined) return shape.check(value, path, faults);
      const tagPath = path === "" ? tag : `${path}.${tag}`;
      faults.add(tagPath, `must be one of ${words}, but is ${describe(word)}`);
    },
  };
}

import { describe, expect, it } from "vitest";
import {
  asObject,
  booleanField,
  numberField,
  objectField,
  objectsField,
  stringField,
  stringsField,
} from "../../src/base/json.ts";

const object = {
  text: "text",
  number: 1.5,
  infinite: Number.POSITIVE_INFINITY,
  yes: false,
  object: { a: 1 },
  list: ["a", 1, { b: 2 }, null, ["c"], "d"],
  nothing: null,
};
type Key = keyof typeof object;
const keys = Object.keys(object) as Key[];

/** What a reader returns for each field for which it returns something. */
function found(
  read: (source: typeof object, key: string) => unknown,
): Partial<Record<Key, unknown>> {
  const entries = keys.map((key) => [key, read(object, key)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

describe("a field reader", () => {
  it.each([
    { what: "strings", read: stringField, is: { text: "text" } },
    { what: "finite numbers", read: numberField, is: { number: 1.5 } },
    { what: "booleans", read: booleanField, is: { yes: false } },
    { what: "objects, but not lists or null", read: objectField, is: { object: { a: 1 } } },
  ])("returns $what, and undefined for any other type", ({ read, is }) => {
    expect(found(read)).toEqual(is);
    expect(read(object, "missing")).toBeUndefined();
  });

  it.each([
    { what: "objects", read: objectsField, is: [{ b: 2 }] },
    { what: "strings", read: stringsField, is: ["a", "d"] },
  ])("returns the $what of a list, and an empty list for any other type", ({ read, is }) => {
    for (const key of [...keys, "missing"]) {
      expect(read(object, key)).toEqual(key === "list" ? is : []);
    }
  });
});

describe("asObject", () => {
  it("returns an object unchanged, and an empty object for anything else", () => {
    expect(asObject(object)).toBe(object);
    for (const value of [null, undefined, [], "text", 1]) expect(asObject(value)).toEqual({});
  });
});

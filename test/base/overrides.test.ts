import { expect, it } from "vitest";
import { definedFields } from "../../src/base/json.ts";

it.each([
  [undefined, {}],
  [{}, {}],
  [{ a: undefined }, {}],
  [
    { a: 0, b: "", c: null, d: false, e: undefined },
    { a: 0, b: "", c: null, d: false },
  ],
])("%j keeps only the fields that are defined", (given, expected) => {
  expect(Object.entries(definedFields<object>(given))).toEqual(Object.entries(expected));
});

it("keeps defaults in place of undefined", () => {
  const given: { a?: number | undefined; b?: number | undefined } = { a: undefined, b: 2 };
  const all: { a: number; b: number } = { a: 1, b: 1, ...definedFields(given) };
  expect(all).toEqual({ a: 1, b: 2 });
});

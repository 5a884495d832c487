import { expect, it } from "vitest";
import { isList, isStringList } from "../../src/base/json.ts";

it.each([
  { value: [], list: true, strings: true },
  { value: ["a"], list: true, strings: true },
  { value: ["a", 1], list: true, strings: false },
  { value: { length: 0 }, list: false, strings: false },
  { value: "a", list: false, strings: false },
  { value: null, list: false, strings: false },
])("$value: a list is $list, a list of strings is $strings", ({ value, list, strings }) => {
  expect(isList<unknown>(value)).toBe(list);
  expect(isStringList(value)).toBe(strings);
});

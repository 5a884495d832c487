import { expect, it } from "vitest";
import { imageTypeOf, mimeTypeOf } from "../../../../src/apps/cli/prompt/mentions.ts";

it.each([
  ["a.ts", "text/typescript"],
  ["/x/Makefile", "text/x-makefile"],
  ["A.PNG", "image/png"],
  ["x.constructor", undefined],
  ["constructor", undefined],
  ["none", undefined],
])("the mime type of %s is %s", (name, type) => {
  expect(mimeTypeOf(name)).toBe(type);
});

it.each([
  ["ffd8ffe0", "image/jpeg"],
  ["474946383961", "image/gif"],
  ["524946460000000057454250", "image/webp"],
  ["3c737667", undefined],
])("an image that starts with %s has the type %s", (hex, type) => {
  expect(imageTypeOf(Buffer.from(hex, "hex"))).toBe(type);
});

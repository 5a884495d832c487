import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REDACTED } from "../../../src/base/redact/secrets.ts";
import { valueHider } from "../../../src/base/redact/redact.ts";

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const unit = (of: string): string => `\\u${of.charCodeAt(0).toString(16).padStart(4, "0")}`;
/** As Python writes JSON by default. */
const ascii = (text: string): string => json(text).replace(/[^ -~]/g, unit);
/** As Go writes JSON by default, with the slashes of PHP. */
const html = (text: string): string => json(text).replace(/[<>&]/g, unit).replaceAll("/", "\\/");
const upper = (text: string): string =>
  ascii(text).replace(/\\u[\da-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`);

describe("known values", () => {
  it.each([
    ["a/b/c", "x a/b/c y", `x ${REDACTED} y`],
    ["a/b/c", String.raw`x a\/b\/c y`, `x ${REDACTED} y`],
    ['a"b', String.raw`{"k":"a\"b"}`, `{"k":"${REDACTED}"}`],
    ["a\\b", String.raw`a\b a\\b a\\\\b`, `${REDACTED} ${REDACTED} ${REDACTED}`],
    ["a\nb", String.raw`a\nb a\\nb anb`, `${REDACTED} ${REDACTED} anb`],
    ["a.b", "a.b axb", `${REDACTED} axb`],
    ["$&(x)*[", "<$&(x)*[>", `<${REDACTED}>`],
    ["é", String.raw`é \u00e9 \u00E9`, `${REDACTED} ${REDACTED} ${REDACTED}`],
  ])("%j is hidden in %j", (value, text, hidden) => {
    expect(valueHider([value])(text)).toBe(hidden);
  });

  it("are hidden longest first, so that no rest stays", () => {
    expect(valueHider(["abc", "abc-def"])("abc-def abc")).toBe(`${REDACTED} ${REDACTED}`);
  });

  it("leave a text alone if there are none", () => {
    expect(valueHider([])("text")).toBe("text");
    expect(valueHider([""])("text")).toBe("text");
  });

  it("are hidden in every spelling, up to three times escaped", () => {
    const spelling = fc.constantFrom(json, ascii, html, upper);
    const value = fc.oneof(
      fc.string({ minLength: 8 }),
      fc.string({ unit: "binary", minLength: 8 }),
      fc.string({ unit: fc.constantFrom("\\", '"', "/", "\n", "a", "é", "'"), minLength: 8 }),
    );
    fc.assert(
      fc.property(value, fc.array(spelling, { maxLength: 3 }), (secret, escapes) => {
        const text = escapes.reduce((from, escape) => escape(from), secret);
        expect(valueHider([secret])(`<${text}>`)).toBe(`<${REDACTED}>`);
      }),
      { numRuns: 500 },
    );
  });

  it("are found in linear time among many backslashes", () => {
    const hide = valueHider(['"quoted"', "\\\\server\\share", "\\"]);
    const slashes = "\\".repeat(2_000_000);
    const started = performance.now();
    hide(slashes);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitize, sanitizeJson, sanitizeLine, Sanitizer } from "../../src/base/shown-text.ts";

const ESC = "\u001b";
// oxlint-disable-next-line no-control-regex
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe("sanitized text", () => {
  it.each([
    ["plain text", "plain text"],
    ["lines\nand\ttabs", "lines\nand\ttabs"],
    ["windows\r\nlines", "windows\nlines"],
    ["émoji 👩‍👩‍👧 שלום مرحبا", "émoji 👩‍👩‍👧 שלום مرحبا"],
    [`${ESC}[31mred${ESC}[0m`, "red"],
    [`${ESC}[8mhidden`, "hidden"],
    [`${ESC}[2Jcleared`, "␛[2Jcleared"],
    [`${ESC}]0;title\u0007`, "␛]0;title␇"],
    [`${ESC}]52;c;ZXZpbA==${ESC}\\`, "␛]52;c;ZXZpbA==␛\\"],
    [`${ESC}P1$r${ESC}\\`, "␛P1$r␛\\"],
    ["\u009b2J", "<U+009B>2J"],
    ["\u009d0;t\u009c", "<U+009D>0;t<U+009C>"],
    ["over\rwritten", "over␍written"],
    ["back\b\b", "back␈␈"],
    ["\u202etxt.exe", "<U+202E>txt.exe"],
    ["a\u2066b\u2069", "a<U+2066>b<U+2069>"],
    ["\u200fmark", "<U+200F>mark"],
    ["zero\u200bwidth\ufeff", "zero<U+200B>width<U+FEFF>"],
    ["tag\u{e0041}", "tag<U+E0041>"],
    ["nul\0del\u007f", "nul␀del␡"],
  ])("of %j is %j", (text, safe) => {
    expect(sanitize(text)).toBe(safe);
  });

  it("is a single line from sanitizeLine", () => {
    expect(sanitizeLine("two\nlines\tand\u2028more")).toBe("two lines and<U+2028>more");
  });

  it("never contains a control character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(sanitize(text)).not.toMatch(HARMFUL);
      }),
    );
  });

  it("does not depend on how the input is split into pieces", () => {
    const piece = fc.oneof(
      fc.constantFrom("\r", "\n", ESC, `${ESC}[`, `${ESC}[3`, "1m", "\u202e", "x", `${ESC}]0;`),
      fc.string({ unit: "grapheme" }),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const sanitizer = new Sanitizer();
        const joined = pieces.map((text) => sanitizer.push(text)).join("") + sanitizer.end();
        expect(joined).toBe(sanitize(pieces.join("")));
      }),
    );
  });
});

describe("sanitized JSON", () => {
  it.each([
    ['{"a":"plain é 👩‍👩‍👧"}', '{"a":"plain é 👩‍👩‍👧"}'],
    ['"\u009b2J\u009d0;t\u009c"', String.raw`"\u009b2J\u009d0;t\u009c"`],
    ['"\u202e\u2066\u200f\u061c\u2028"', String.raw`"\u202e\u2066\u200f\u061c\u2028"`],
    ['"\u007f\u{e0041}\ufeff"', String.raw`"\u007f\udb40\udc41\ufeff"`],
    ['{\r"a":\t1\r}', '{ "a":\t1 }'],
    ["[1]\n[2]\n", "[1]\n[2]\n"],
  ])("of %j is %j", (text, safe) => {
    expect(sanitizeJson(text)).toBe(safe);
  });

  it("has the same value and no control character", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const safe = sanitizeJson(JSON.stringify(value));
        expect(safe).not.toMatch(HARMFUL);
        expect(JSON.parse(safe)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

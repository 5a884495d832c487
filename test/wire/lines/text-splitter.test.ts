import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineTooLongError } from "../../../src/wire/lines/limit.ts";
import { LineSplitter } from "../../../src/wire/lines/splitter.ts";
import { TextSplitter } from "../../../src/wire/lines/text-splitter.ts";

/** Cuts bytes at the given places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

function split(chunks: readonly Uint8Array[], limit?: number): string[] {
  const splitter = new TextSplitter(limit);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("the platform-neutral splitter", () => {
  it("splits like the one for Node, wherever the chunks are cut", () => {
    const text = fc.array(fc.constantFrom("a", "é", "€", "😀", "\n", "\r\n", "{}"));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (parts, places) => {
        const bytes = encode(parts.join(""));
        const expected: string[] = [];
        const node = new LineSplitter((line) => expected.push(line));
        node.push(bytes);
        node.end();
        expect(split(cut(bytes, places))).toEqual(expected);
      }),
    );
  });

  it("puts a line together that arrives byte by byte", () => {
    const line = "0123456789".repeat(1000);
    const bytes = encode(`${line}\n${line}`);
    expect(split([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual([line, line]);
  });

  it.each([
    ["a line of exactly the limit", ["12345\n"], ["12345"]],
    ["the limit in several chunks", ["12", "345\n6"], ["12345", "6"]],
  ])("accepts %s", (_, chunks, expected) => {
    expect(split(chunks.map(encode), 5)).toEqual(expected);
  });

  it.each([
    ["complete", ["123456\n"]],
    ["complete, after others", ["1\n123456\n2\n"]],
    ["incomplete", ["1\n123456"]],
    ["in several chunks", ["123", "456"]],
    ["of few characters with many bytes", ["€€\n"]],
  ])("refuses a line over the limit that is %s", (_, chunks) => {
    expect(() => split(chunks.map(encode), 5)).toThrow(LineTooLongError);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineTooLongError } from "../../../../src/transport/wire/lines/limit.ts";
import { LineSplitter as BrowserSplitter } from "../../../../src/transport/wire/lines/splitter.browser.ts";
import { LineSplitter } from "../../../../src/transport/wire/lines/splitter.ts";
import { seed, times } from "../../../support/soak.ts";

type Splitter = Pick<LineSplitter, "push" | "end">;

/** The lines of a stream, and whether one was too long. */
function split(
  create: (emit: (line: string) => void) => Splitter,
  chunks: readonly Uint8Array[],
): [string[], boolean] {
  const lines: string[] = [];
  const splitter = create((line) => lines.push(line));
  try {
    for (const chunk of chunks) splitter.push(chunk);
    splitter.end();
    return [lines, false];
  } catch (error) {
    expect(error).toBeInstanceOf(LineTooLongError);
    return [lines, true];
  }
}

describe("the line splitter for browsers", () => {
  it("emits the same lines as the one for Node, for any bytes, chunks and limits", () => {
    const byte = fc.oneof(
      fc.constantFrom(0x0a, 0x0d, 0x20, 0x61, 0xc3, 0xa9, 0xef, 0xbb, 0xbf, 0xff),
      fc.nat(255),
    );
    const chunks = fc.array(fc.array(byte, { maxLength: 20 }).map((all) => Uint8Array.from(all)));
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 60 }), (given, limit) => {
        const [lines, isTooLong] = split((emit) => new BrowserSplitter(emit, limit), given);
        const [expected, isExpected] = split((emit) => new LineSplitter(emit, limit), given);
        expect(isTooLong).toBe(isExpected);
        if (!isTooLong) expect(lines).toEqual(expected);
      }),
      { seed, numRuns: times(1000, 50_000) },
    );
  });

  it("keeps a line that grows byte by byte, and lets go of it afterwards", () => {
    const lines: string[] = [];
    const splitter = new BrowserSplitter((line) => lines.push(line));
    const long = "é".repeat(100_000);
    for (const one of new TextEncoder().encode(`${long}\n`)) splitter.push(Uint8Array.of(one));
    splitter.push(new TextEncoder().encode("next\n"));
    expect(lines).toEqual([long, "next"]);
  });
});

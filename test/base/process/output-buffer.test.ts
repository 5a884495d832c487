import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputBuffer } from "../../../src/base/process/output-buffer.ts";
import { seed, times } from "../../support/soak.ts";

describe("an output buffer", () => {
  it("keeps as many whole characters at the end as fit the limit, for any chunks", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(
        text,
        fc.nat(80),
        fc.array(fc.integer({ min: 1, max: 9 })),
        (all, limit, sizes) => {
          const bytes = Buffer.from(all, "utf8");
          const buffer = new OutputBuffer(limit);
          let at = 0;
          for (let i = 0; at < bytes.length; i++) {
            const size = sizes[i % Math.max(1, sizes.length)] ?? 3;
            buffer.push(Buffer.from(bytes.subarray(at, at + size)));
            at += size;
            expect(buffer.text()).not.toContain("\ufffd");
          }
          buffer.complete();
          const kept = buffer.text();
          expect(all.endsWith(kept)).toBe(true);
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(limit);
          expect(buffer.truncated).toBe(bytes.length > limit);
          const missing = bytes.length - Buffer.byteLength(kept);
          if (missing > 0) expect(Buffer.byteLength(kept)).toBeGreaterThan(limit - 4);
        },
      ),
      { seed, numRuns: times(300, 10_000) },
    );
  });

  it("stays within the limit for bytes that are not UTF-8", () => {
    const buffer = new OutputBuffer(10);
    buffer.push(Buffer.alloc(100, 0xff));
    expect(Buffer.byteLength(buffer.text())).toBeLessThanOrEqual(10);
    expect(buffer.truncated).toBe(true);
  });

  it("does not grow with the number of small chunks", () => {
    const buffer = new OutputBuffer(1000);
    for (let i = 0; i < 100_000; i++) buffer.push(Buffer.from("x"));
    expect(buffer.text()).toBe("x".repeat(1000));
  });
});

describe("the whole lines of an output buffer", () => {
  const wholeLines = (limit: number, ...chunks: readonly (string | Buffer)[]): string => {
    const buffer = new OutputBuffer(limit);
    for (const chunk of chunks) buffer.push(Buffer.from(chunk));
    buffer.complete();
    return buffer.wholeLines();
  };

  it.each([
    { what: "an empty stream", chunks: [], is: "" },
    { what: "a short stream", chunks: ["a", "b\n"], is: "ab\n" },
    { what: "exactly the limit", chunks: ["12345678"], is: "12345678" },
    { what: "one byte more than the limit", chunks: ["y12345678"], is: "12345678" },
    {
      what: "one chunk far above the limit",
      chunks: [`${"y".repeat(1e6)}12345678`],
      is: "12345678",
    },
    { what: "lines, the first of which is cut", chunks: ["half a secret\nwhole\n"], is: "whole\n" },
    { what: "one line that is cut", chunks: ["y12345678\n"], is: "2345678\n" },
    { what: "a cut character", chunks: ["\u{1f600}1234567"], is: "1234567" },
    { what: "a broken character at the start", chunks: [Buffer.from([0xa9, 0x61])], is: "\ufffda" },
    { what: "half a character at the end", chunks: [Buffer.from([0x61, 0xc3])], is: "a\ufffd" },
  ])("of $what are correct", ({ chunks, is }) => {
    expect(wholeLines(8, ...chunks)).toBe(is);
  });
});

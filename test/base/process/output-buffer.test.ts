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

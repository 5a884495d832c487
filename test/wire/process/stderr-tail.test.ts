import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STDERR_TAIL_BYTES, StderrTail } from "../../../src/wire/process/stderr-tail.ts";

const tailOf = (...chunks: readonly (string | Buffer)[]): string => {
  const tail = new StderrTail();
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail.text();
};

describe("the tail of stderr", () => {
  it("is 16 KiB", () => {
    expect(STDERR_TAIL_BYTES).toBe(16 * 1024);
  });

  it.each([
    { what: "nothing", chunks: [], is: "" },
    { what: "a little", chunks: ["a", "b\n"], is: "ab\n" },
    {
      what: "a character split over two chunks",
      chunks: [Buffer.from([0xc3]), Buffer.from([0xa9])],
      is: "é",
    },
    {
      what: "exactly the limit",
      chunks: ["x".repeat(STDERR_TAIL_BYTES)],
      is: "x".repeat(STDERR_TAIL_BYTES),
    },
    {
      what: "one byte more",
      chunks: [`y${"x".repeat(STDERR_TAIL_BYTES)}`],
      is: "x".repeat(STDERR_TAIL_BYTES),
    },
    {
      what: "much more, in one chunk",
      chunks: ["y".repeat(1_000_000) + "x".repeat(STDERR_TAIL_BYTES)],
      is: "x".repeat(STDERR_TAIL_BYTES),
    },
  ])("of $what", ({ chunks, is }) => {
    expect(tailOf(...chunks)).toBe(is);
  });

  it.each([1, 2, 3])("starts at a whole character when %i bytes of one are cut off", (cut) => {
    const rest = STDERR_TAIL_BYTES - (4 - cut);
    expect(tailOf(`😀${"x".repeat(rest)}`)).toBe("x".repeat(rest));
  });

  it("keeps a broken character that stands at the real start", () => {
    expect(tailOf(Buffer.from([0xa9, 0x61]))).toBe("\ufffda");
  });

  it("can be asked again and goes on", () => {
    const tail = new StderrTail();
    tail.push(Buffer.from("a"));
    expect(tail.text()).toBe("a");
    tail.push(Buffer.from("b"));
    expect(tail.text()).toBe("ab");
  });

  it("is the end of the whole, however it was chunked", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9000), { maxLength: 12 }), (sizes) => {
        const chunks = sizes.map((size, index) => String.fromCharCode(97 + index).repeat(size));
        expect(tailOf(...chunks)).toBe(chunks.join("").slice(-STDERR_TAIL_BYTES));
      }),
      { numRuns: 50 },
    );
  });
});

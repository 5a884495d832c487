import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  STDERR_TAIL_BYTES,
  StderrTail,
} from "../../../../src/transport/wire/process/stderr-tail.ts";

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
    { what: "an empty stream", chunks: [], is: "" },
    { what: "a short stream", chunks: ["a", "b\n"], is: "ab\n" },
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
      what: "one byte more than the limit",
      chunks: [`y${"x".repeat(STDERR_TAIL_BYTES)}`],
      is: "x".repeat(STDERR_TAIL_BYTES),
    },
    {
      what: "one chunk far above the limit",
      chunks: ["y".repeat(1_000_000) + "x".repeat(STDERR_TAIL_BYTES)],
      is: "x".repeat(STDERR_TAIL_BYTES),
    },
    {
      what: "lines, the first of which is cut",
      chunks: [`half a secret\n${"x".repeat(STDERR_TAIL_BYTES - 8)}\n`],
      is: `${"x".repeat(STDERR_TAIL_BYTES - 8)}\n`,
    },
    {
      what: "one line that is cut",
      chunks: [`y${"x".repeat(STDERR_TAIL_BYTES)}\n`],
      is: `${"x".repeat(STDERR_TAIL_BYTES - 1)}\n`,
    },
  ])("of $what is correct", ({ chunks, is }) => {
    expect(tailOf(...chunks)).toBe(is);
  });

  it.each([1, 2, 3])("starts at a complete character when %i bytes of one are cut off", (cut) => {
    const rest = STDERR_TAIL_BYTES - (4 - cut);
    expect(tailOf(`😀${"x".repeat(rest)}`)).toBe("x".repeat(rest));
  });

  it("keeps a broken character at the actual start of the stream", () => {
    expect(tailOf(Buffer.from([0xa9, 0x61]))).toBe("\ufffda");
  });

  it("can be read repeatedly while more is written", () => {
    const tail = new StderrTail();
    tail.push(Buffer.from("a"));
    expect(tail.text()).toBe("a");
    tail.push(Buffer.from("b"));
    expect(tail.text()).toBe("ab");
  });

  it("is the end of the stream for any chunking", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9000), { maxLength: 12 }), (sizes) => {
        const chunks = sizes.map((size, index) => String.fromCharCode(97 + index).repeat(size));
        expect(tailOf(...chunks)).toBe(chunks.join("").slice(-STDERR_TAIL_BYTES));
      }),
      { numRuns: 50 },
    );
  });
});

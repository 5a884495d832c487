import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  DEFAULT_MAX_LINE_BYTES,
  LineTooLongError,
} from "../../../../src/transport/wire/lines/limit.ts";
import { LineSplitter } from "../../../../src/transport/wire/lines/splitter.ts";

/** Splits a stream that arrives in the given chunks. */
function split(chunks: readonly Uint8Array[], limit?: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), limit);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

/** The lines before one was too long, and whether one was. */
function splitUntilTooLong(chunks: readonly Uint8Array[], limit: number): [string[], boolean] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), limit);
  try {
    for (const chunk of chunks) splitter.push(chunk);
    splitter.end();
    return [lines, false];
  } catch (error) {
    expect(error).toBeInstanceOf(LineTooLongError);
    return [lines, true];
  }
}

const bytes = (text: string): Buffer => Buffer.from(text, "utf8");
const each = (buffer: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(buffer.length / size) }, (_, index) =>
    buffer.subarray(index * size, (index + 1) * size),
  );

afterEach(() => vi.restoreAllMocks());

describe("the line splitter", () => {
  it.each([
    { what: "LF ends a line", text: "a\nb\n", lines: ["a", "b"] },
    { what: "CRLF ends a line", text: "a\r\nb\r\n", lines: ["a", "b"] },
    { what: "LF and CRLF may be mixed", text: "a\r\nb\nc\r\n", lines: ["a", "b", "c"] },
    { what: "a CR inside a line stays", text: "a\rb\n", lines: ["a\rb"] },
    { what: "only the last CR belongs to the line end", text: "a\r\r\n", lines: ["a\r"] },
    { what: "empty lines are dropped", text: "\n\na\n\r\n\nb\n\n", lines: ["a", "b"] },
    { what: "a line of spaces is not empty", text: " \n", lines: [" "] },
    { what: "the end of the stream ends a line", text: "a\nb", lines: ["a", "b"] },
    { what: "a CR before the end of the stream is dropped", text: "a\r", lines: ["a"] },
    { what: "an empty stream has no lines", text: "", lines: [] },
    { what: "a byte order mark is kept", text: "\ufeffa\n", lines: ["\ufeffa"] },
    {
      what: "Unicode line separators are ordinary text",
      text: "a\u2028b\u2029c\u0085d\n",
      lines: ["a\u2028b\u2029c\u0085d"],
    },
  ])("$what, in one chunk and byte by byte", ({ text, lines }) => {
    expect(split([bytes(text)])).toEqual(lines);
    expect(split(each(bytes(text), 1))).toEqual(lines);
  });

  it("keeps characters intact wherever a chunk ends", () => {
    const text = "a é € 😀 \u0000 ü\n漢字\n";
    const all = bytes(text);
    for (let cut = 0; cut <= all.length; cut++) {
      expect(split([all.subarray(0, cut), all.subarray(cut)])).toEqual([
        "a é € 😀 \u0000 ü",
        "漢字",
      ]);
    }
  });

  it("accepts plain byte arrays and views into larger ones", () => {
    const large = new Uint8Array(bytes("xxa\nbxx"));
    expect(split([large.subarray(2, 5)])).toEqual(["a", "b"]);
  });

  it("is not affected when a chunk is overwritten after it was pushed", () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    const chunk = bytes("hello");
    splitter.push(chunk);
    chunk.fill(0x78);
    splitter.push(bytes("\n"));
    expect(lines).toEqual(["hello"]);
  });

  it("emits the same lines for any chunking", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom("\n", "\r\n", "\r", "😀", ""),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.nat(300), { maxLength: 20 }),
        (pieces, cuts) => {
          const all = bytes(pieces.join(""));
          const at = [0, ...cuts.map((cut) => cut % (all.length + 1)), all.length].toSorted(
            (a, b) => a - b,
          );
          const chunks = at.slice(1).map((end, index) => all.subarray(at[index], end));
          expect(split(chunks)).toEqual(split([all]));
        },
      ),
    );
  });

  it("fails at the same line for any chunking and any bytes", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 120 }),
        fc.array(fc.constantFrom(0, 10, 20, 30, 40, 50, 60), { maxLength: 8 }),
        fc.integer({ min: 1, max: 7 }),
        (content, newlines, size) => {
          for (const at of newlines) if (at < content.length) content[at] = 0x0a;
          const all = Buffer.from(content);
          const whole = splitUntilTooLong([all], 16);
          expect(splitUntilTooLong(each(all, size), 16)).toEqual(whole);
        },
      ),
    );
  });
});

describe("the line length limit", () => {
  it("defaults to 64 MiB", () => {
    expect(DEFAULT_MAX_LINE_BYTES).toBe(64 * 1024 * 1024);
  });

  it.each([
    { what: "in one chunk", size: 1000 },
    { what: "in small chunks", size: 3 },
  ])("fails with an error that names the limit, $what", ({ size }) => {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line), 10);
    const push = (): void =>
      each(bytes("0123456789\nfine\n01234567890\nlost\n"), size).forEach((one) =>
        splitter.push(one),
      );
    expect(push).toThrow(new LineTooLongError(10));
    expect(lines).toEqual(["0123456789", "fine"]);
    expect(new LineTooLongError(10)).toMatchObject({
      limit: 10,
      name: "LineTooLongError",
      message: expect.stringContaining("10 bytes") as string,
    });
  });

  it("fails as soon as the line is too long, not when it ends", () => {
    const splitter = new LineSplitter(() => {}, 10);
    expect(() => splitter.push(bytes("01234567890"))).toThrow(LineTooLongError);
  });

  it("counts bytes, not characters", () => {
    expect(() => split([bytes("€€€\n")], 8)).toThrow(LineTooLongError);
    expect(split([bytes("€€€\n")], 9)).toEqual(["€€€"]);
  });

  it("counts the received bytes, not the characters that replace invalid ones", () => {
    const invalid = Buffer.alloc(8, 0xff);
    const stream = Buffer.concat([invalid, bytes("\nok\n")]);
    expect(split([stream], 8)).toEqual(["\ufffd".repeat(8), "ok"]);
    expect(split(each(stream, 1), 8)).toEqual(["\ufffd".repeat(8), "ok"]);
  });
});

describe("the cost of a long line", () => {
  it.each([
    { total: 256 * 1024, size: 1 },
    { total: 1024 * 1024, size: 97 },
    { total: 8 * 1024 * 1024, size: 1024 },
    { total: 8 * 1024 * 1024, size: 64 * 1024 },
  ])("is linear: $total bytes in chunks of $size", ({ total, size }) => {
    const allocators = [
      vi.spyOn(Buffer, "concat"),
      vi.spyOn(Buffer, "alloc"),
      vi.spyOn(Buffer, "allocUnsafe"),
    ];
    const decode = vi.spyOn(Buffer.prototype, "toString");
    const scan = vi.spyOn(Buffer.prototype, "indexOf");

    const chunk = Buffer.from("a".repeat(size));
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    let pushed = 0;
    for (; pushed < total; pushed += size) splitter.push(chunk);
    const pushes = pushed / size;
    splitter.push(Buffer.from("\n"));

    const made = allocators.flatMap(({ mock }) => mock.results.map(({ value }) => value as Buffer));
    const allocated = made.reduce((sum, buffer) => sum + buffer.length, 0);
    expect(lines.map((line) => line.length)).toEqual([pushed]);
    expect(allocated).toBeLessThan(4 * pushed + 256 * 1024);
    expect(made.length).toBeLessThan(32);
    expect(decode).toHaveBeenCalledTimes(1);
    expect(scan.mock.calls.length).toBeLessThanOrEqual(pushes + 1);
  });

  it("keeps no large buffer after a large line", () => {
    const splitter = new LineSplitter(() => {});
    splitter.push(Buffer.alloc(32 * 1024 * 1024, 0x61));
    splitter.push(Buffer.from("\n"));
    const allocate = vi.spyOn(Buffer, "allocUnsafe");
    splitter.push(Buffer.from("next"));
    expect(allocate.mock.calls.every(([size]) => size < 1024 * 1024)).toBe(true);
    expect(allocate).toHaveBeenCalled();
  });
});

import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  DEFAULT_MAX_LINE_BYTES,
  LineSplitter,
  LineTooLongError,
} from "../../../src/wire/lines/splitter.ts";

/** The lines of a stream that arrives in the given chunks. */
function split(chunks: readonly Uint8Array[], limit?: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), limit);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

/** What came out before the limit was broken, and whether it was. */
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
    { what: "both in one stream", text: "a\r\nb\nc\r\n", lines: ["a", "b", "c"] },
    { what: "a CR inside a line stays", text: "a\rb\n", lines: ["a\rb"] },
    { what: "only the last CR belongs to the line end", text: "a\r\r\n", lines: ["a\r"] },
    { what: "empty lines are dropped", text: "\n\na\n\r\n\nb\n\n", lines: ["a", "b"] },
    { what: "spaces are not empty", text: " \n", lines: [" "] },
    { what: "the end of the stream ends a line", text: "a\nb", lines: ["a", "b"] },
    { what: "the end of the stream after CR", text: "a\r", lines: ["a"] },
    { what: "nothing gives nothing", text: "", lines: [] },
    { what: "a byte order mark is kept", text: "\ufeffa\n", lines: ["\ufeffa"] },
    {
      what: "separators of Unicode are text",
      text: "a\u2028b\u2029c\u0085d\n",
      lines: ["a\u2028b\u2029c\u0085d"],
    },
  ])("$what, in one chunk and byte by byte", ({ text, lines }) => {
    expect(split([bytes(text)])).toEqual(lines);
    expect(split(each(bytes(text), 1))).toEqual(lines);
  });

  it("keeps characters whole wherever they are cut", () => {
    const text = "a é € 😀 \u0000 ü\n漢字\n";
    const all = bytes(text);
    for (let cut = 0; cut <= all.length; cut++) {
      expect(split([all.subarray(0, cut), all.subarray(cut)])).toEqual([
        "a é € 😀 \u0000 ü",
        "漢字",
      ]);
    }
  });

  it("takes plain byte arrays and views into larger ones", () => {
    const large = new Uint8Array(bytes("xxa\nbxx"));
    expect(split([large.subarray(2, 5)])).toEqual(["a", "b"]);
  });

  it("does not change when its chunks are overwritten after they were pushed", () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((line) => lines.push(line));
    const chunk = bytes("hello");
    splitter.push(chunk);
    chunk.fill(0x78);
    splitter.push(bytes("\n"));
    expect(lines).toEqual(["hello"]);
  });

  it("gives the same lines for any chunking", () => {
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

  it("breaks the limit at the same line for any chunking, whatever the bytes", () => {
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

describe("the limit of a line", () => {
  it("is 64 MiB unless told", () => {
    expect(DEFAULT_MAX_LINE_BYTES).toBe(64 * 1024 * 1024);
  });

  it.each([
    { what: "in one chunk", size: 1000 },
    { what: "in small chunks", size: 3 },
  ])("breaks with an error that says it, $what", ({ size }) => {
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

  it("breaks as soon as the line is too long, not when it ends", () => {
    const splitter = new LineSplitter(() => {}, 10);
    expect(() => splitter.push(bytes("01234567890"))).toThrow(LineTooLongError);
  });

  it("counts bytes, not characters", () => {
    expect(() => split([bytes("€€€\n")], 8)).toThrow(LineTooLongError);
    expect(split([bytes("€€€\n")], 9)).toEqual(["€€€"]);
  });

  it("counts the bytes that came, not what invalid ones are replaced with", () => {
    const invalid = Buffer.alloc(8, 0xff);
    const stream = Buffer.concat([invalid, bytes("\nok\n")]);
    expect(split([stream], 8)).toEqual(["\ufffd".repeat(8), "ok"]);
    expect(split(each(stream, 1), 8)).toEqual(["\ufffd".repeat(8), "ok"]);
  });
});

describe("the cost of a line", () => {
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

  it("leaves no large buffer behind after a large line", () => {
    const splitter = new LineSplitter(() => {});
    splitter.push(Buffer.alloc(32 * 1024 * 1024, 0x61));
    splitter.push(Buffer.from("\n"));
    const allocate = vi.spyOn(Buffer, "allocUnsafe");
    splitter.push(Buffer.from("next"));
    expect(allocate.mock.calls.every(([size]) => size < 1024 * 1024)).toBe(true);
    expect(allocate).toHaveBeenCalled();
  });
});

import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readStdin } from "../../../../src/apps/cli/prompt/read.ts";
import { fakeIo } from "../support/io.ts";

const never = new AbortController().signal;
const read = (stdin: Readable, stop = never) => readStdin(fakeIo({ stdin }), () => {}, stop);

describe("stdin", () => {
  it("is read to its end", async () => {
    expect(await read(Readable.from([Buffer.from("a"), Buffer.from("b")]))).toBe("ab");
  });

  it("is not read on and on if it never ends", async () => {
    const piece = Buffer.alloc(1024 * 1024, "y\n");
    let pieces = 0;
    const endless = new Readable({
      read() {
        pieces++;
        this.push(piece);
      },
    });
    await expect(read(endless)).rejects.toThrow("stdin is larger than 32 MiB");
    expect(pieces).toBeLessThan(40);
    expect(endless.destroyed).toBe(true);
  });

  it("is not waited for after a signal, even one that came before", async () => {
    const before = AbortSignal.abort(new Error("interrupted"));
    await expect(read(new PassThrough(), before)).rejects.toThrow("interrupted");
    const during = new AbortController();
    const reading = read(new PassThrough(), during.signal);
    during.abort(new Error("interrupted"));
    await expect(reading).rejects.toThrow("interrupted");
  });
});

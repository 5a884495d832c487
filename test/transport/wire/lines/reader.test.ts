import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { LineReader } from "../../../../src/transport/wire/lines/streams.ts";
import { openProcess } from "../../../../src/transport/wire/process/channel.ts";

/** Keeps the processor busy, as the handling of a line may. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe("a reader of a program that never stops printing", () => {
  it("lets timers run between chunks, even if each takes long to handle", async () => {
    const channel = await openProcess({ command: "yes" });
    let lines = 0;
    channel.open(() => {
      if (lines++ % 1000 === 0) work(2);
    });
    const seen: number[] = [];
    for (let n = 0; n < 5; n++) {
      const before = lines;
      await new Promise((resolve) => setTimeout(resolve, 0));
      seen.push(lines - before);
    }
    await channel.close();
    // A chunk has 32,768 of these lines. Node reads up to 32 chunks before it runs a timer.
    expect(Math.max(...seen)).toBeLessThan(5 * 32_768);
  });

  it("still delivers every line, in order", async () => {
    const stream = new PassThrough();
    const received: string[] = [];
    const over = new LineReader(stream).open((line) => {
      if (received.length % 100 === 0) work(5);
      received.push(line);
    });
    const all = Array.from({ length: 5000 }, (_, n) => `line ${n}`);
    for (const line of all) stream.write(`${line}\n`);
    stream.end();
    expect(await over).toBeUndefined();
    expect(received).toEqual(all);
  });

  it("stays paused if it is paused while it gives way to timers", async () => {
    const channel = await openProcess({ command: "yes" });
    let lines = 0;
    let onLine = (): void => {};
    const nextLine = () => new Promise<void>((resolve) => (onLine = resolve));
    channel.open(() => {
      if (lines++ % 1000 === 0) work(2);
      if (lines === 1000) channel.pause();
      onLine();
    });
    await nextLine();
    await new Promise(setImmediate);
    const before = lines;
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    expect(lines).toBe(before);
    const resumed = nextLine();
    channel.resume();
    await resumed;
    await channel.close();
  });
});

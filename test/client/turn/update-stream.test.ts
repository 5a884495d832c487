import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { UpdatesLostError } from "../../../src/client/errors.ts";
import { UpdateReader } from "../../../src/client/turn/update-stream.ts";

const limits = { updates: 4, bytes: 100 };
const entry = (value: number, size = 1) => ({ done: false, value, size }) as const;

async function readAll(reader: UpdateReader<number>): Promise<number[]> {
  const seen: number[] = [];
  for await (const value of reader) seen.push(value);
  return seen;
}

describe("an update reader", () => {
  it("yields the pushed items, then ends", async () => {
    const reader = new UpdateReader<number>(limits, () => {});
    reader.push(entry(1));
    reader.push(entry(2));
    reader.end();
    reader.push(entry(3));
    expect(await readAll(reader)).toEqual([1, 2]);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it("keeps the last items until it is read, and counts the dropped ones", async () => {
    const reader = new UpdateReader<number>(limits, () => {});
    for (let n = 1; n <= 10; n++) reader.push(entry(n));
    expect(reader.dropped).toBe(6);
    reader.end();
    expect(await readAll(reader)).toEqual([7, 8, 9, 10]);
    expect(reader.dropped).toBe(6);
  });

  it("also obeys the byte limit, but always keeps the last item", async () => {
    const reader = new UpdateReader<number>(limits, () => {});
    reader.push(entry(1, 60));
    reader.push(entry(2, 60));
    reader.push(entry(3, 500));
    reader.end();
    expect(await readAll(reader)).toEqual([3]);
    expect(reader.dropped).toBe(2);
  });

  it("drops nothing once it is read, and reports when it is behind", async () => {
    const moved = vi.fn<() => void>();
    const reader = new UpdateReader<number>(limits, moved);
    const first = reader.next();
    expect(reader.active).toBe(true);
    for (let n = 1; n <= 6; n++) reader.push(entry(n));
    expect(await first).toMatchObject({ value: 1 });
    expect(reader.behind).toBe(true);
    moved.mockClear();
    for (const n of [2, 3]) expect(await reader.next()).toMatchObject({ value: n });
    expect(reader.behind).toBe(true);
    expect(await reader.next()).toMatchObject({ value: 4 });
    expect(reader.behind).toBe(false);
    expect(moved).toHaveBeenCalledTimes(1);
    reader.end();
    expect(await readAll(reader)).toEqual([5, 6]);
    expect(reader.dropped).toBe(0);
  });

  it("fails if it falls too far behind, after all items before the gap", async () => {
    const reader = new UpdateReader<number>(limits, () => {});
    const first = reader.next();
    for (let n = 0; n < 1000; n++) reader.push(entry(n, 0));
    await first;
    expect(reader.behind).toBe(false);
    let next = 1;
    let lost: unknown;
    try {
      for await (const value of reader) expect(value).toBe(next++);
    } catch (error) {
      lost = error;
    }
    expect(next).toBe(4 * 64 + 1);
    expect(lost).toBeInstanceOf(UpdatesLostError);
    expect(lost).toMatchObject({ code: "updates_lost", count: 1000 - next });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it("throws its error after the last item, once", async () => {
    const reader = new UpdateReader<number>(limits, () => {});
    reader.push(entry(1));
    reader.end(new Error("gone"));
    expect(await reader.next()).toMatchObject({ value: 1 });
    await expect(reader.next()).rejects.toThrow("gone");
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it("throws its error to a caller that is already waiting", async () => {
    const reader = new UpdateReader<number>(limits, () => {});
    const waiting = reader.next();
    reader.end(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
  });

  it("answers concurrent calls of next in order", async () => {
    const reader = new UpdateReader<number>(limits, () => {});
    const results = [reader.next(), reader.next(), reader.next()];
    for (const n of [1, 2]) reader.push(entry(n));
    reader.end();
    expect((await Promise.all(results)).map(({ value }) => value)).toEqual([1, 2, undefined]);
  });

  it("reports when the consumer leaves early, but not after the end", async () => {
    const left = vi.fn<() => void>();
    const early = new UpdateReader<number>(limits, () => {}, left);
    early.push(entry(1));
    for await (const _ of early) break;
    expect(left).toHaveBeenCalledTimes(1);
    expect(await early.next()).toEqual({ done: true, value: undefined });

    const late = new UpdateReader<number>(limits, () => {}, left);
    late.push(entry(1));
    late.end();
    for await (const _ of late) break;
    expect(left).toHaveBeenCalledTimes(1);
  });

  it("loses and reorders nothing, however pushing and reading alternate", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 60 }),
        async (runs) => {
          const reader = new UpdateReader<number>({ updates: 10, bytes: 1000 }, () => {});
          const seen: unknown[] = [];
          let pushed = 0;
          void reader.next().then(({ value }) => seen.push(value));
          for (const run of runs) {
            for (let n = 0; n < run; n++) reader.push(entry(pushed++));
            for (let n = 0; n < 3 && reader.length > 0; n++) seen.push((await reader.next()).value);
            await Promise.resolve();
          }
          reader.end();
          for await (const value of reader) seen.push(value);
          expect(seen.filter((value) => value !== undefined)).toEqual(
            Array.from({ length: pushed }, (_, index) => index),
          );
        },
      ),
    );
  });
});

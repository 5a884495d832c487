// The iteration of a queue is tested with the inbox, in test/transport/rpc/inbox.test.ts.
import { describe, expect, it } from "vitest";
import { Queue } from "../../src/base/queue.ts";

/** A queue that keeps at most `limit` bytes of its newest items, and records its hooks. */
class Newest extends Queue<string> {
  readonly hooks: string[] = [];
  readonly #limit: number;

  constructor(limit = Number.POSITIVE_INFINITY) {
    super();
    this.#limit = limit;
  }

  push(value: string): void {
    this.add({ done: false, value, size: value.length });
  }

  pop(): void {
    this.dropNewest();
  }

  fail(error: Error): void {
    this.endWith(error);
  }

  protected override added(): void {
    const dropped = this.dropOldest(() => this.bytes > this.#limit);
    this.hooks.push(`added, dropped ${dropped}`);
  }

  protected override taken(): void {
    this.hooks.push("taken");
  }

  protected override left(): void {
    this.hooks.push("left");
  }
}

async function rest(queue: Newest): Promise<string[]> {
  queue.end();
  const items: string[] = [];
  for await (const item of queue) items.push(item);
  return items;
}

describe("a queue", () => {
  it("counts its items and their bytes", async () => {
    const queue = new Newest();
    queue.push("a");
    queue.push("bcd");
    expect([queue.length, queue.bytes]).toEqual([2, 4]);
    await queue.next();
    expect([queue.length, queue.bytes]).toEqual([1, 3]);
    queue.clear();
    expect([queue.length, queue.bytes]).toEqual([0, 0]);
  });

  it("calls its hooks when an item waits, when it is taken, and when the consumer leaves", async () => {
    const queue = new Newest();
    const waiting = queue.next();
    queue.push("not queued");
    await waiting;
    queue.push("queued");
    await queue.next();
    await queue.return();
    await queue.return();
    expect(queue.hooks).toEqual(["added, dropped 0", "taken", "left"]);
  });

  it("drops its oldest items, but never the newest", async () => {
    const queue = new Newest(4);
    for (const item of ["aa", "bb", "ccc", "longer than the limit"]) queue.push(item);
    expect(queue.hooks).toEqual([0, 0, 2, 1].map((count) => `added, dropped ${count}`));
    expect(await rest(queue)).toEqual(["longer than the limit"]);
  });

  it("drops its newest item", async () => {
    const queue = new Newest();
    queue.push("kept");
    queue.push("dropped");
    queue.pop();
    expect(queue.bytes).toBe(4);
    expect(await rest(queue)).toEqual(["kept"]);
  });

  it("throws the error that replaced the one of its end, once", async () => {
    const queue = new Newest();
    queue.end(new Error("first"));
    queue.fail(new Error("better"));
    await expect(queue.next()).rejects.toThrow("better");
    expect(await queue.next()).toEqual({ done: true, value: undefined });
  });

  it("delivers every item of a long queue in order", async () => {
    const queue = new Newest();
    const items = Array.from({ length: 20_000 }, (_, n) => String(n));
    for (const item of items) queue.push(item);
    expect(await rest(queue)).toEqual(items);
  });
});

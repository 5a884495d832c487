import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_INBOX_LIMITS, Inbox, type InboxLimits } from "../../../src/transport/rpc/inbox.ts";
import { notification } from "../../support/messages.ts";
import { connect } from "./raw.ts";

interface Held<T> {
  readonly inbox: Inbox<T>;
  /** How many holds there were in total, and how many are active. */
  readonly holds: { total: number; now: number };
}

function inboxOf<T>(limits: Partial<InboxLimits> = {}): Held<T> {
  const holds = { total: 0, now: 0 };
  const inbox = new Inbox<T>(() => {
    holds.total++;
    holds.now++;
    return () => {
      holds.now--;
    };
  }, limits);
  return { inbox, holds };
}

async function all<T>(inbox: Inbox<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of inbox) items.push(item);
  return items;
}

describe("an inbox", () => {
  it("has default limits", () => {
    expect(DEFAULT_INBOX_LIMITS).toEqual({ maxCount: 1024, maxBytes: 8 * 1024 * 1024 });
  });

  it("delivers queued and later items in order, then ends", async () => {
    const { inbox } = inboxOf<number>();
    inbox.push(1);
    inbox.push(2);
    const items = all(inbox);
    await new Promise(setImmediate);
    inbox.push(3);
    inbox.end();
    inbox.push(4);
    expect(await items).toEqual([1, 2, 3]);
    expect(await inbox.next()).toEqual({ done: true, value: undefined });
  });

  it("delivers the queued items before it throws its error, once", async () => {
    const { inbox } = inboxOf<number>();
    inbox.push(1);
    inbox.end(new Error("gone"));
    expect(await inbox.next()).toMatchObject({ done: false, value: 1 });
    await expect(inbox.next()).rejects.toThrow("gone");
    expect(await inbox.next()).toMatchObject({ done: true });
  });

  it("rejects the pending read of a waiting consumer with its error", async () => {
    const { inbox } = inboxOf<number>();
    const next = inbox.next();
    inbox.end(new Error("gone"));
    inbox.end();
    await expect(next).rejects.toThrow("gone");
    expect(await inbox.next()).toMatchObject({ done: true });
  });

  it("serves a consumer that asks for several items at once", async () => {
    const { inbox } = inboxOf<number>();
    const reads = [inbox.next(), inbox.next(), inbox.next(), inbox.next()];
    inbox.push(1);
    inbox.push(2);
    inbox.end();
    const results = await Promise.all(reads);
    expect(results.map(({ done, value }) => (done === true ? "end" : value))).toEqual([
      1,
      2,
      "end",
      "end",
    ]);
  });

  it("drops the remaining items when the consumer leaves the loop", async () => {
    const { inbox, holds } = inboxOf<number>({ maxCount: 2 });
    for (let n = 0; n < 5; n++) inbox.push(n);
    expect(holds.now).toBe(1);
    for await (const item of inbox) {
      expect(item).toBe(0);
      break;
    }
    expect(holds.now).toBe(0);
    inbox.push(9);
    expect(inbox.length).toBe(0);
    expect(holds).toEqual({ total: 1, now: 0 });
  });

  it("calls onLeave if the consumer leaves the loop before the end, and not after it", async () => {
    for (const ends of [false, true]) {
      let left = 0;
      const inbox = new Inbox<number>(
        () => () => {},
        {},
        () => left++,
      );
      inbox.push(1);
      if (ends) inbox.end();
      for await (const item of inbox) {
        expect(item).toBe(1);
        break;
      }
      await inbox.return();
      expect(left).toBe(ends ? 0 : 1);
    }
  });

  it("frees consumed items while others are still queued", async () => {
    const { inbox } = inboxOf<object>();
    const collected: boolean[] = [];
    const registry = new FinalizationRegistry<number>((index) => (collected[index] = true));
    const fill = (): void => {
      for (let index = 0; index < 100; index++) {
        const item = { index };
        registry.register(item, index);
        inbox.push(item);
      }
    };
    fill();
    const take = async (): Promise<void> => {
      for (let count = 0; count < 99; count++) await inbox.next();
    };
    await take();
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let turn = 0; turn < 20 && collected[50] === undefined; turn++) {
      collect();
      await new Promise(setImmediate);
    }
    expect(collected[50]).toBe(true);
    expect(inbox.length).toBe(1);
  });
});

describe("an inbox that fills", () => {
  it.each([
    { what: "by count", limits: { maxCount: 4 }, size: 0, limit: 4 },
    { what: "by bytes", limits: { maxBytes: 400 }, size: 100, limit: 4 },
  ])("holds reading above its limit $what, and releases it once it is half empty", async (row) => {
    const { inbox, holds } = inboxOf<number>(row.limits);
    for (let n = 0; n < row.limit; n++) inbox.push(n, row.size);
    expect(holds.now).toBe(0);
    inbox.push(4, row.size);
    inbox.push(5, row.size);
    expect(holds).toEqual({ total: 1, now: 1 });
    for (let n = 0; n < 3; n++) {
      await inbox.next();
      expect(holds.now).toBe(1);
    }
    await inbox.next();
    expect(inbox.length).toBe(2);
    expect(holds).toEqual({ total: 1, now: 0 });
  });

  it("releases its hold when it ends or is cleared", () => {
    for (const stop of ["end", "clear"] as const) {
      const { inbox, holds } = inboxOf<number>({ maxCount: 1 });
      inbox.push(1);
      inbox.push(2);
      expect(holds.now).toBe(1);
      inbox[stop]();
      expect(holds.now).toBe(0);
    }
  });

  it("holds reading only while items are queued, for any order of pushes and reads", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constant("take" as const), fc.nat(50)), { maxLength: 200 }),
        async (steps) => {
          const { inbox, holds } = inboxOf<number>({ maxCount: 8, maxBytes: 200 });
          let pushed = 0;
          let taken = 0;
          for (const step of steps) {
            if (step !== "take") inbox.push(pushed++, step);
            else if (inbox.length > 0) expect((await inbox.next()).value).toBe(taken++);
            expect(inbox.length).toBe(pushed - taken);
            expect(holds.now).toBeLessThanOrEqual(inbox.length > 0 ? 1 : 0);
            if (inbox.length > 8) expect(holds.now).toBe(1);
          }
        },
      ),
    );
  });

  it("stops the peer from reading, so that the sender has to wait", async () => {
    const inboxes: Inbox<unknown>[] = [];
    const { peer, far } = connect({
      handlers: { notification: (_, params, size) => inboxes[0]?.push(params, size) },
    });
    const inbox = new Inbox<unknown>(() => peer.hold(), { maxCount: 10 });
    inboxes.push(inbox);
    let sent = 0;
    const sending = (async () => {
      for (; sent < 3000; sent++) await far.send(JSON.stringify(notification("n", sent)));
    })();
    let before = -1;
    while (sent !== before) {
      before = sent;
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(1000);
    for (let n = 0; n < 3000; n++) expect((await inbox.next()).value).toBe(n);
    await sending;
  });
});

// The promises of every engine. Each implementation runs these tests.
import { afterAll, describe, expect, it, vi } from "vitest";
import type { EngineLimits, FleetEngine, LoggedEntry } from "../../../src/host/fleet/index.ts";

/** Limits for tests that wait for none of them, however busy the machine is. */
export const LONG_LIMITS: Partial<EngineLimits> = { maxWork: 5 };

/** Limits that are short enough to wait for. */
export const SHORT_LIMITS: Partial<EngineLimits> = {
  leaseMs: 500,
  hostMs: 500,
  callMs: 500,
  workMs: 500,
  maxWork: 5,
};

/** Connects to a fleet of its own, which each call creates. */
export type ConnectFleet = () => Promise<() => Promise<FleetEngine>>;

const WAIT = { timeout: 10_000, interval: 50 };

/** Everything a stream yields. */
export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** Two processes of one fleet. */
type TwoProcesses = () => Promise<[FleetEngine, FleetEngine]>;

/** Connects pairs of processes, which are closed with the suite. */
function pairsOf(newFleet: ConnectFleet): TwoProcesses {
  const engines: FleetEngine[] = [];
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
  });
  return async () => {
    const connect = await newFleet();
    const pair: [FleetEngine, FleetEngine] = [await connect(), await connect()];
    engines.push(...pair);
    return pair;
  };
}

/** The promises that do not depend on time. They need {@link LONG_LIMITS}. */
export function engineContract(newFleet: ConnectFleet): void {
  const two = pairsOf(newFleet);

  describe.concurrent("the log of a session", () => {
    it("gives entries back in order, at growing positions, to another process", async () => {
      const [a, b] = await two();
      expect(await b.log.last("s")).toBe(0);
      expect(await all(b.log.read("s"))).toEqual([]);
      let after = 0;
      for (const text of ["one", "two", "three"]) {
        const position = await a.log.append("s", text, { fence: 7, after });
        expect(position).toBeGreaterThan(after);
        after = position;
      }
      const entries = await all(b.log.read("s"));
      expect(entries.map(({ text }) => text)).toEqual(["one", "two", "three"]);
      expect(entries.map(({ fence }) => fence)).toEqual([7, 7, 7]);
      expect(await b.log.last("s")).toBe(after);
      expect(entries.at(-1)?.position).toBe(after);
    });

    it("refuses an entry whose writer does not know the last one", async () => {
      const [a, b] = await two();
      const first = await a.log.append("s", "old owner", { fence: 1, after: 0 });
      await b.log.append("s", "takeover", { fence: 2, after: first });
      const late = a.log.append("s", "too late", { fence: 1, after: first });
      await expect(late).rejects.toMatchObject({ code: "fenced" });
      const texts = (await all(b.log.read("s"))).map(({ text }) => text);
      expect(texts).toEqual(["old owner", "takeover"]);
    });

    it("lets one of several racing writers win", async () => {
      const [a, b] = await two();
      const writers = [a, b, a, b].map((engine, index) =>
        engine.log.append("s", String(index), { fence: index, after: 0 }),
      );
      const results = await Promise.allSettled(writers);
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await all(a.log.read("s"))).toHaveLength(1);
    });

    it("continues after a position, and follows until the reader leaves", async () => {
      const [a, b] = await two();
      const first = await a.log.append("s", "1", { fence: 1, after: 0 });
      const second = await a.log.append("s", "2", { fence: 1, after: first });
      expect((await all(b.log.read("s", { after: first }))).map(({ text }) => text)).toEqual(["2"]);
      expect(await all(b.log.read("s", { after: second }))).toEqual([]);
      const stop = new AbortController();
      const stream = b.log.read("s", { after: first, follow: true, signal: stop.signal });
      const seen: LoggedEntry[] = [];
      seen.push((await stream.next()).value ?? expect.fail());
      const next = stream.next();
      await a.log.append("other", "not this one", { fence: 1, after: 0 });
      await a.log.append("s", "3", { fence: 1, after: second });
      seen.push((await next).value ?? expect.fail());
      expect(seen.map(({ text }) => text)).toEqual(["2", "3"]);
      const end = stream.next();
      stop.abort();
      expect(await end).toEqual({ done: true, value: undefined });
    });

    it("ends its readers when the engine is closed", async () => {
      const [a] = await two();
      await a.log.append("s", "1", { fence: 1, after: 0 });
      const stream = a.log.read("s", { follow: true });
      await stream.next();
      const end = stream.next();
      await a.close();
      expect((await end).done).toBe(true);
      const late = [
        a.log.append("s", "2", { fence: 1, after: 1 }),
        a.sessions.put("k", "v"),
        a.leases.take("s", "host"),
        a.work.take("p", { waitMs: 1 }),
      ];
      for (const call of late) await expect(call).rejects.toMatchObject({ code: "closed" });
    });

    it("keeps sessions apart for ids of all kinds", async () => {
      const [a, b] = await two();
      const ids = ["a.b", "a.*", "a.>", "a b", "a", "", "é😀", "x".repeat(500), "y".repeat(500)];
      for (const id of ids) await a.log.append(id, id, { fence: 1, after: 0 });
      for (const id of ids) {
        expect((await all(b.log.read(id))).map(({ text }) => text)).toEqual([id]);
      }
      await b.log.remove("a.*");
      expect(await all(a.log.read("a.*"))).toEqual([]);
      expect(await all(a.log.read("a.b"))).toHaveLength(1);
    });

    it.each([600_000, 2_500_000])("stores an entry of %d characters", async (length) => {
      const [a, b] = await two();
      const text = `${"0123456789é".repeat(length / 11)}.`;
      const position = await a.log.append("s", text, { fence: 1, after: 0 });
      await a.log.append("s", "small", { fence: 1, after: position });
      const texts = (await all(b.log.read("s"))).map((entry) => entry.text);
      expect(texts[0] === text).toBe(true);
      expect(texts[1]).toBe("small");
    });
  });

  describe.concurrent("a lease", () => {
    it("has one holder, whom every process finds", async () => {
      const [a, b] = await two();
      expect(await b.leases.holder("s")).toBeUndefined();
      const lease = (await a.leases.take("s", "host a")) ?? expect.fail();
      expect(await b.leases.take("s", "host b")).toBeUndefined();
      expect(await b.leases.holder("s")).toEqual({ host: "host a", fence: lease.fence });
      expect(await lease.renew()).toBe(true);
      expect(await b.leases.holder("s")).toEqual({ host: "host a", fence: lease.fence });
      expect(lease.validUntil).toBeGreaterThan(performance.now());
      await lease.release();
      expect(await b.leases.holder("s")).toBeUndefined();
      const next = (await b.leases.take("s", "host b")) ?? expect.fail();
      expect(next.fence).toBeGreaterThan(lease.fence);
      expect(await lease.renew()).toBe(false);
    });
  });

  describe.concurrent("a table", () => {
    it("changes a record only if no other change came first", async () => {
      const [a, b] = await two();
      const first = (await a.sessions.create("k", "1")) ?? expect.fail();
      expect(await b.sessions.create("k", "other")).toBeUndefined();
      const second = (await b.sessions.update("k", "2", first)) ?? expect.fail();
      expect(await a.sessions.update("k", "lost", first)).toBeUndefined();
      expect(await a.sessions.get("k")).toEqual({ key: "k", value: "2", revision: second });
      expect(await a.sessions.delete("k", first)).toBe(false);
      expect(await a.sessions.delete("k", second)).toBe(true);
      expect(await b.sessions.get("k")).toBeUndefined();
      expect(await b.sessions.create("k", "3")).toBeGreaterThan(second);
    });

    it("lists its records", async () => {
      const [a, b] = await two();
      expect(await a.jobs.list()).toEqual([]);
      await a.jobs.put("a.b", "1");
      await a.jobs.put("x".repeat(500), "2");
      await a.jobs.put("gone", "3");
      await a.jobs.put("a.b", "4");
      await a.jobs.delete("gone");
      const records = new Map((await b.jobs.list()).map(({ key, value }) => [key, value]));
      expect(records).toEqual(
        new Map([
          ["a.b", "4"],
          ["x".repeat(500), "2"],
        ]),
      );
    });

    it("shows its records to a watcher, and then every change", async () => {
      const [a, b] = await two();
      await a.sessions.put("k", "1");
      const stop = new AbortController();
      const changes = b.sessions.watch(stop.signal);
      expect((await changes.next()).value).toEqual({ key: "k", value: "1" });
      await a.sessions.put("l", "2");
      expect((await changes.next()).value).toEqual({ key: "l", value: "2" });
      await a.sessions.put("x".repeat(500), "3");
      expect((await changes.next()).value).toEqual({ key: "x".repeat(500), value: "3" });
      await a.sessions.delete("k");
      expect((await changes.next()).value).toEqual({ key: "k", value: undefined });
      const end = changes.next();
      stop.abort();
      expect((await end).done).toBe(true);
    });
  });

  describe.concurrent("the queue", () => {
    it("gives each piece of work to one worker, oldest first", async () => {
      const [a, b] = await two();
      expect(await a.work.take("p", { waitMs: 1 })).toBeUndefined();
      expect(await a.work.add("p", "1", "first")).toBe(true);
      expect(await a.work.add("p", "2", "second")).toBe(true);
      expect(await a.work.add("p", "1", "first again")).toBe(false);
      expect(await a.work.depth("p")).toBe(2);
      expect(await a.work.depth("another pool")).toBe(0);
      const first = (await a.work.take("p", { waitMs: 1000 })) ?? expect.fail();
      const second = (await b.work.take("p", { waitMs: 1000 })) ?? expect.fail();
      expect([first.text, second.text]).toEqual(["first", "second"]);
      expect([first.id, first.deliveries]).toEqual(["1", 1]);
      await first.done();
      await second.done();
      const ids = ["a.b > *", `${"long ".repeat(100)}id`];
      for (const id of ids) expect(await a.work.add("a.b > *", id, id)).toBe(true);
      for (const id of ids) {
        const item = (await b.work.take("a.b > *", { waitMs: 1000 })) ?? expect.fail();
        expect([item.id, item.text]).toEqual([id, id]);
        await item.done();
      }
      await vi.waitFor(async () => expect(await b.work.depth("p")).toBe(0), WAIT);
      expect(await b.work.add("p", "1", "done before")).toBe(false);
    });

    it("answers that it is full", async () => {
      const [a, b] = await two();
      for (let id = 0; id < 5; id++) await a.work.add(`pool ${id % 2}`, String(id), "work");
      const refused = b.work.add("pool 1", "one more", "work");
      await expect(refused).rejects.toMatchObject({ code: "try_later" });
      await (await b.work.take("pool 0", { waitMs: 1000 }))?.done();
      expect(await b.work.add("pool 1", "one more", "work")).toBe(true);
    });

    it("stops waiting when its signal is aborted", async () => {
      const [a] = await two();
      const stop = new AbortController();
      const taken = a.work.take("p", { waitMs: 60_000, signal: stop.signal });
      stop.abort();
      expect(await taken).toBeUndefined();
      await a.work.add("p", "1", "work");
      const item = await a.work.take("p", { waitMs: 10_000 });
      expect(item?.text).toBe("work");
    });
  });

  describe.concurrent("a call", () => {
    it("reaches the host and brings its answer", async () => {
      const [a, b] = await two();
      const server = await a.calls.answer("h.1", async (text) => `${text}!`);
      expect(await b.calls.call("h.1", "hello")).toBe("hello!");
      const large = "é".repeat(1_000_000);
      expect((await b.calls.call("h.1", large, { timeoutMs: 10_000 })) === `${large}!`).toBe(true);
      await server.close();
      await expect(b.calls.call("h.1", "hello")).rejects.toMatchObject({ code: "no_owner" });
    });

    it("tells a failure from silence", async () => {
      const [a, b] = await two();
      await a.calls.answer("h", (text) =>
        text === "fail" ? Promise.reject(new Error("not today")) : new Promise(() => {}),
      );
      const failed = b.calls.call("h", "fail");
      await expect(failed).rejects.toMatchObject({ code: "remote_error", message: "not today" });
      const silent = b.calls.call("h", "wait", { timeoutMs: 50 });
      await expect(silent).rejects.toMatchObject({ code: "timeout" });
      await expect(b.calls.call("x", "?")).rejects.toMatchObject({ code: "no_owner" });
    });
  });

  describe.concurrent("a large value", () => {
    it("comes back by its reference", async () => {
      const [a, b] = await two();
      const text = "0123456789é".repeat(100_000);
      const reference = await a.values.put(text);
      expect(reference.length).toBeLessThan(200);
      expect((await b.values.get(reference)) === text).toBe(true);
      expect(await b.values.get(await a.values.put(""))).toBe("");
      const missing = b.values.get("nothing:1:x");
      await expect(missing).rejects.toMatchObject({ code: "not_found" });
    });
  });
}

/** The promises that take time to keep. The tests mostly wait, so they wait together. */
export function timeContract(newFleet: ConnectFleet): void {
  const two = pairsOf(newFleet);

  describe.concurrent("the time limits", () => {
    it("ends a lease without renewals, after its holder stopped to count on it", async () => {
      const [a, b] = await two();
      const lease = (await a.leases.take("s", "host a")) ?? expect.fail();
      const next = await vi.waitFor(async () => {
        const taken = await b.leases.take("s", "host b");
        expect(taken).toBeDefined();
        return taken;
      }, WAIT);
      expect(lease.validUntil).toBeLessThan(performance.now());
      expect(next?.fence).toBeGreaterThan(lease.fence);
      expect(await lease.renew()).toBe(false);
      expect(lease.validUntil).toBe(0);
    });

    it("keeps a lease as long as it is renewed", async () => {
      const [a, b] = await two();
      const lease = (await a.leases.take("s", "host a")) ?? expect.fail();
      const until = performance.now() + 2 * a.limits.leaseMs;
      await vi.waitFor(async () => {
        expect(await lease.renew()).toBe(true);
        expect(performance.now()).toBeGreaterThan(until);
      }, WAIT);
      expect(await b.leases.take("s", "host b")).toBeUndefined();
    });

    it("forgets a host that does not report", async () => {
      const [a, b] = await two();
      await a.hosts.put("h", "load");
      expect((await b.hosts.get("h"))?.value).toBe("load");
      await vi.waitFor(async () => expect(await b.hosts.get("h")).toBeUndefined(), WAIT);
      expect(await b.hosts.list()).toEqual([]);
    });

    it("gives work out again that its worker did not finish", async () => {
      const [a, b] = await two();
      await a.work.add("p", "1", "work");
      await a.work.take("p", { waitMs: 1000 });
      const again = (await b.work.take("p", { waitMs: 10_000 })) ?? expect.fail();
      expect([again.text, again.deliveries]).toEqual(["work", 2]);
      await again.giveBack(1);
      const third = (await b.work.take("p", { waitMs: 10_000 })) ?? expect.fail();
      expect(third.deliveries).toBe(3);
      await third.done();
      // The server confirms before every replica has removed it.
      await vi.waitFor(async () => expect(await a.work.depth("p")).toBe(0), WAIT);
    });

    it("leaves work with a worker that keeps it", async () => {
      const [a, b] = await two();
      await a.work.add("p", "1", "work");
      const item = (await a.work.take("p", { waitMs: 1000 })) ?? expect.fail();
      const until = performance.now() + 2 * a.limits.workMs;
      const other = b.work.take("p", { waitMs: 2 * a.limits.workMs });
      await vi.waitFor(async () => {
        await item.extend();
        expect(performance.now()).toBeGreaterThan(until);
      }, WAIT);
      expect(await other).toBeUndefined();
      await item.done();
    });
  });
}

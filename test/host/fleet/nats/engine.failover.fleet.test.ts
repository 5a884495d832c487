import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connectNats, type FleetEngine, fleetStatus } from "../../../../src/host/fleet/index.ts";
import { healthy } from "../chaos/fleet.ts";
import { type NatsServers, startNats } from "../nats-server.ts";

const SESSIONS = 20;
const ENTRIES = 300;

/** The server that leads a stream. */
async function leaderOf(servers: NatsServers, engine: FleetEngine, stream: string) {
  return vi.waitFor(
    async () => {
      const store = (await engine.health()).find(({ name }) => name === stream);
      return servers.nodes.find(({ name }) => name === store?.leader) ?? expect.fail();
    },
    { timeout: 60_000, interval: 500 },
  );
}

describe("a fleet on three servers", () => {
  let servers: NatsServers;
  let engine: FleetEngine;
  beforeAll(async () => {
    servers = await startNats(3);
    engine = await connectNats({ servers: servers.urls });
  });
  afterAll(async () => {
    await engine.close();
    await servers.close();
  });

  it("loses no acknowledged entry and doubles none when the leader of the log is killed", async () => {
    const leader = await leaderOf(servers, engine, "DR_EV");
    const stop = new AbortController();
    const followers = Array.from({ length: SESSIONS }, async (_, session) => {
      const seen: number[] = [];
      const stream = engine.log.read(`s${session}`, { follow: true, signal: stop.signal });
      for await (const { text } of stream) {
        seen.push(Number(text));
        if (seen.length === ENTRIES) break;
      }
      return seen;
    });
    let acknowledged = 0;
    let killed: Promise<void> | undefined;
    let longestGap = 0;
    let lastAt = performance.now();
    const append = async (session: string): Promise<void> => {
      let after = 0;
      for (let entry = 0; entry < ENTRIES; entry++) {
        after = await engine.log.append(session, String(entry), { fence: 1, after });
        longestGap = Math.max(longestGap, performance.now() - lastAt);
        lastAt = performance.now();
        if (++acknowledged === (SESSIONS * ENTRIES) / 3) {
          killed = leader.kill();
        }
      }
    };
    await Promise.all(Array.from({ length: SESSIONS }, (_, session) => append(`s${session}`)));
    await killed;
    const expected = Array.from({ length: ENTRIES }, (_, entry) => entry);
    for (let session = 0; session < SESSIONS; session++) {
      const stored: number[] = [];
      for await (const { text } of engine.log.read(`s${session}`)) stored.push(Number(text));
      expect(stored).toEqual(expected);
    }
    for (const seen of await Promise.all(followers)) expect(seen).toEqual(expected);
    stop.abort();
    expect(longestGap).toBeGreaterThan(0);
    process.stdout.write(`longest gap between acknowledgements: ${Math.round(longestGap)} ms\n`);
    await leader.restart();
    await healthy(engine);
  });

  it("keeps leases, and its owners apart, when the leader of the leases is killed", async () => {
    const lease = (await engine.leases.take("s", "a")) ?? expect.fail();
    const leader = await leaderOf(servers, engine, "KV_dr_lease");
    await leader.kill();
    expect(await lease.renew()).toBe(true);
    expect(lease.validUntil).toBeGreaterThan(performance.now());
    expect(await engine.leases.take("s", "b")).toBeUndefined();
    await lease.release();
    expect((await engine.leases.take("s", "b"))?.fence).toBeGreaterThan(lease.fence);
    await leader.restart();
    await healthy(engine);
  });

  it("gives out all work, and adds none twice, when the leader of the queue is killed", async () => {
    const leader = await leaderOf(servers, engine, "DR_WORK");
    const ids = Array.from({ length: 60 }, (_, id) => String(id));
    for (const id of ids.slice(0, 30)) await engine.work.add("p", id, id);
    const killed = leader.kill();
    const added = Promise.all(ids.slice(30).map((id) => engine.work.add("p", id, id)));
    const done: string[] = [];
    while (done.length < ids.length) {
      const item = await engine.work.take("p", { waitMs: 5000 });
      if (!item) continue;
      // Work whose end was not confirmed comes again; a worker knows it by its id.
      await item.done().catch(() => {});
      if (!done.includes(item.id)) done.push(item.id);
    }
    await Promise.all([added, killed]);
    expect(new Set(done)).toEqual(new Set(ids));
    for (const id of ids) expect(await engine.work.add("p", id, id)).toBe(false);
    await leader.restart();
    await healthy(engine);
  });

  it("shows which replica of the log is behind while its server is away", async () => {
    const leader = await leaderOf(servers, engine, "DR_EV");
    const node = servers.nodes.find(({ name }) => name !== leader.name) ?? expect.fail();
    const replica = async () => {
      const { stores } = await fleetStatus(engine);
      return stores
        .find(({ name }) => name === "DR_EV")
        ?.replicas.find(({ server }) => server === node.name);
    };
    expect(await replica()).toEqual({ server: node.name, isCurrent: true, lag: 0 });
    await node.kill();
    const after = await engine.log.append("behind", "1", { fence: 1, after: 0 });
    await engine.log.append("behind", "2", { fence: 1, after });
    await vi.waitFor(
      async () => expect(await replica()).toMatchObject({ isCurrent: false, lag: 2 }),
      { timeout: 60_000, interval: 500 },
    );
    await node.restart();
    await healthy(engine);
  });

  it("moves to another server when its own is killed", async () => {
    const { nodes } = servers;
    const [first] = nodes;
    const other = await connectNats({ servers: first?.url ?? "" });
    try {
      await first?.kill();
      await other.sessions.put("k", "v");
      expect((await other.sessions.get("k"))?.value).toBe("v");
      const server = await engine.calls.answer("h", async (text) => text);
      expect(await other.calls.call("h", "hello")).toBe("hello");
      await server.close();
    } finally {
      await other.close();
      await first?.restart();
    }
    await healthy(engine);
  });
});

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  connectNats,
  type FleetEngine,
  fleetClient,
  fleetJobs,
} from "../../../../src/host/fleet/index.ts";
import { LONG_LIMITS } from "../contract.ts";
import { natsServer, type NatsServers, needsNats, startNats } from "../nats-server.ts";
import { testWorker } from "../rig.ts";

describe.skipIf(natsServer === undefined)(needsNats("tenants of a fleet on NATS"), () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats();
  });
  afterAll(async () => {
    await servers.close();
  });

  async function connect(): Promise<FleetEngine> {
    const engine = await connectNats({
      servers: servers.urls,
      limits: { ...LONG_LIMITS, maxWork: 100 },
    });
    onTestFinished(() => engine.close());
    return engine;
  }

  it("use the same ids for their jobs and sessions, whatever these hold", async () => {
    const engine = await connect();
    const job = {
      pool: "pool",
      agent: "test",
      source: { kind: "root", cwd: "/" },
      prompt: "",
    } as const;
    const ids = ["1", "a.b > *", "long ".repeat(100)];
    const tenants = ["ada", "eve"];
    for (const tenant of tenants) {
      for (const id of ids) {
        const submitted = await fleetJobs(engine, tenant).submit({ ...job, id, prompt: tenant });
        expect(submitted).toMatchObject({ tenant, prompt: tenant, state: "queued" });
      }
    }
    expect(await engine.work.depth("pool")).toBe(6);
    await fleetJobs(engine, "eve").cancel("1");
    // It has no roots, so the jobs fail.
    await testWorker({ engine: await connect(), host: "a" });
    for (const tenant of tenants) {
      for (const id of ids) {
        const ended = await fleetJobs(engine, tenant).wait(id);
        const state = tenant === "eve" && id === "1" ? "cancelled" : "failed";
        expect(ended).toMatchObject({ tenant, prompt: tenant, state });
      }
    }
    const created = new Set<string>();
    for (const tenant of tenants) {
      const client = fleetClient(engine, tenant);
      for (const id of ids) {
        const session = await client.create({ id, pool: "pool", agent: "test", cwd: "/" });
        expect(await client.show(session)).toMatchObject({ tenant });
        created.add(session);
      }
      expect(await client.list()).toHaveLength(3);
    }
    expect(created.size).toBe(6);
  });
});

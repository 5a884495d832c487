import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectNats, type FleetEngine } from "../../../../src/host/fleet/index.ts";
import { type NatsServers, startNats } from "../nats-server.ts";
import { testAgent, testTenant, testWorker } from "../rig.ts";

const SESSIONS = 10;
const PIECES = 3000;

describe("workers on three servers", () => {
  let servers: NatsServers;
  const engines: FleetEngine[] = [];
  const connect = async (): Promise<FleetEngine> => {
    const engine = await connectNats({ servers: servers.urls });
    engines.push(engine);
    return engine;
  };
  beforeAll(async () => {
    servers = await startNats(3);
  });
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await servers.close();
  });

  it("lose no text, run each prompt once and keep their sessions when a server is killed", async () => {
    const agent = testAgent();
    const workers = [
      await testWorker({ engine: await connect(), host: "a", agents: [agent] }),
      await testWorker({ engine: await connect(), host: "b", agents: [agent] }),
    ];
    const engine = await connect();
    const tenants = await Promise.all(Array.from({ length: SESSIONS }, () => testTenant(engine)));
    const ends = tenants.map((tenant) => tenant.run(`say ${PIECES}`));
    await tenants[0]?.until("update");
    await servers.nodes[0]?.kill();
    for (const end of await Promise.all(ends)) {
      expect(end.result).toMatchObject({ stopReason: "end_turn" });
    }
    const text = Array.from({ length: PIECES }, (_, index) => `${index} `).join("");
    for (const tenant of tenants) expect(await tenant.text()).toBe(text);
    expect(agent.prompts).toHaveLength(SESSIONS);
    const lost = workers.flatMap(({ events }) =>
      events.filter(({ type }) => type === "session_lost"),
    );
    expect(lost).toEqual([]);
  });
});

import { afterAll, beforeAll, describe } from "vitest";
import { connectNats } from "../../../../src/host/fleet/index.ts";
import { engineContract, LONG_LIMITS } from "../contract.ts";
import { natsServer, type NatsServers, needsNats, startNats } from "../nats-server.ts";

describe.skipIf(natsServer === undefined)(needsNats("a fleet on NATS"), () => {
  let servers: NatsServers;
  let fleets = 0;
  beforeAll(async () => {
    servers = await startNats();
  });
  afterAll(async () => {
    await servers.close();
  });

  engineContract(async () => {
    const prefix = `f${++fleets}`;
    return () => connectNats({ servers: servers.urls, prefix, limits: LONG_LIMITS });
  });
});

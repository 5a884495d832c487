import { afterAll, beforeAll, describe } from "vitest";
import { connectNats } from "../../../../src/host/fleet/index.ts";
import { SHORT_LIMITS, timeContract } from "../contract.ts";
import { type NatsServers, startNats } from "../nats-server.ts";

describe.each([1, 3])("a fleet on %i NATS servers", (count) => {
  let servers: NatsServers;
  let fleets = 0;
  beforeAll(async () => {
    servers = await startNats(count);
  });
  afterAll(async () => {
    await servers.close();
  });

  const newFleet = async () => {
    const prefix = `f${++fleets}`;
    // Creating the streams of three servers takes a while, and a lease must not end meanwhile.
    const limits = count === 1 ? SHORT_LIMITS : { ...SHORT_LIMITS, leaseMs: 2000, callMs: 2000 };
    return () => connectNats({ servers: servers.urls, prefix, limits });
  };
  timeContract(newFleet);
});

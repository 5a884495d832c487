import { describe, expect, it } from "vitest";
import { type FleetEngine, memoryFleet } from "../../../../src/host/fleet/index.ts";
import { takeOver } from "../../../../src/host/fleet/worker/takeover.ts";
import { pause } from "../../../../src/host/fleet/engine-parts.ts";

describe("a host that takes a session over", () => {
  it("keeps its lease while it reads a log that takes longer than the lease lasts", async () => {
    const engine = memoryFleet({ limits: { leaseMs: 100 } }).connect();
    await engine.log.append("s", "{}", { fence: 1, after: 0 });
    const slow: FleetEngine = {
      ...engine,
      log: {
        ...engine.log,
        read: () => {
          const entries = engine.log.read("s");
          const next = async () => {
            await pause(300, new AbortController().signal);
            return entries.next();
          };
          const stream = { next, [Symbol.asyncIterator]: () => stream };
          return stream;
        },
      },
    };
    const taken = (await takeOver({ engine: slow, host: "a" }, "s")) ?? expect.fail();
    expect(taken.lease.validUntil).toBeGreaterThan(performance.now());
    expect(await engine.leases.take("s", "b")).toBeUndefined();
    await taken.lease.release();
  });
});

import { afterEach, describe, expect, it, vi } from "vitest";
import { type FleetEngine, memoryFleet } from "../../../../src/host/fleet/index.ts";
import { takeOver } from "../../../../src/host/fleet/worker/takeover.ts";
import { pause } from "../../../../src/base/index.ts";

// On the real clock, a busy machine can miss every renewal of a lease this short.
afterEach(() => void vi.useRealTimers());

describe("a host that takes a session over", () => {
  it("keeps its lease while it reads a log that takes longer than the lease lasts", async () => {
    vi.useFakeTimers();
    const engine = memoryFleet({ limits: { leaseMs: 100 } }).connect();
    await engine.log.append("s", "{}", { fence: 1, after: 0 });
    const slow: FleetEngine = {
      ...engine,
      log: {
        ...engine.log,
        read: () => {
          const entries = engine.log.read("s");
          const next = async () => {
            await pause(300);
            return entries.next();
          };
          const stream = { next, [Symbol.asyncIterator]: () => stream };
          return stream;
        },
      },
    };
    const taking = takeOver({ engine: slow, host: "a" }, "s");
    // One pause for the entry, and one for the end of the log.
    await vi.advanceTimersByTimeAsync(600);
    const taken = (await taking) ?? expect.fail();
    expect(taken.lease.validUntil).toBeGreaterThan(performance.now());
    expect(await engine.leases.take("s", "b")).toBeUndefined();
    await taken.lease.release();
  });
});

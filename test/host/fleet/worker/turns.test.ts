import { describe, expect, it, vi } from "vitest";
import { type FleetEngine, TURN_CODES } from "../../../../src/host/fleet/index.ts";
import { readSession } from "../../../../src/host/fleet/session/record.ts";
import { deferred } from "../../../../src/base/index.ts";
import { shortFleet, startedFleet, testAgent, testTenant, testWorker, textOf } from "../rig.ts";

/** An engine that holds back the first change of a session to `isBusy`. */
function holding(engine: FleetEngine, isBusy: boolean) {
  const reached = deferred();
  const released = deferred();
  const changedAgain = deferred();
  let isHeld = false;
  let isReleased = false;
  const { sessions } = engine;
  const update: typeof sessions.update = async (key, value, revision) => {
    const before = await sessions.get(key);
    const wasBusy = before && readSession(before.value)?.isBusy;
    if (!isHeld && wasBusy !== isBusy && readSession(value)?.isBusy === isBusy) {
      isHeld = true;
      reached.resolve();
      await released.promise;
      const revised = await sessions.update(key, value, revision);
      isReleased = true;
      return revised;
    }
    const revised = await sessions.update(key, value, revision);
    if (isReleased) changedAgain.resolve();
    return revised;
  };
  return {
    engine: { ...engine, sessions: { ...sessions, update } },
    reached: reached.promise,
    release: () => released.resolve(),
    /** Resolves when the change was repeated, because another one came before. */
    repeated: changedAgain.promise,
  };
}

describe("a session with an open prompt", () => {
  it("is marked as busy before the prompt is in its log, so that another worker reports it", async () => {
    const connect = shortFleet();
    const { engine, reached, release } = holding(connect(), true);
    await testWorker({ engine, host: "a" });
    const tenant = await testTenant(connect());
    const prompted = tenant.prompt("hello");
    await reached;
    expect(await tenant.types()).not.toContain("prompt");
    release();
    await tenant.ended(await prompted);
  });

  it("stays marked if the end of the turn before is stored late", async () => {
    const connect = shortFleet();
    const { engine, reached, repeated, release } = holding(connect(), false);
    await testWorker({ engine, host: "a" });
    const tenant = await testTenant(connect());
    await tenant.run("one");
    await reached;
    await tenant.prompt("wait");
    await tenant.until("update", (entry) => textOf(entry) === "waiting");
    release();
    await repeated;
    const { client, session } = tenant;
    expect((await client.show(session)).isBusy).toBe(true);
    await client.cancel(session);
    await vi.waitFor(async () => expect((await client.show(session)).isBusy).toBe(false));
  });
});

describe("a prompt that is not in the log yet", () => {
  it("can be cancelled", async () => {
    const connect = shortFleet();
    const { engine, reached, release } = holding(connect(), true);
    const agent = testAgent();
    await testWorker({ engine, host: "a", agents: [agent] });
    const tenant = await testTenant(connect());
    const prompted = tenant.prompt("hello");
    await reached;
    await tenant.client.cancel(tenant.session);
    release();
    const { result } = await tenant.ended(await prompted);
    expect(result).toEqual({ stopReason: "cancelled" });
    expect(agent.prompts).toEqual([]);
  });
});

describe("a prompt that waits", () => {
  it("is reported as not run if its session is given back", async () => {
    const { tenant } = await startedFleet();
    await tenant.prompt("wait");
    await tenant.until("update");
    const second = await tenant.prompt("second");
    await tenant.client.release(tenant.session);
    expect((await tenant.ended(second)).error?.code).toBe(TURN_CODES.notRun);
  });
});

import { describe, expect, it, vi } from "vitest";
import { fleetClient, type FleetEngine, TURN_CODES } from "../../../../src/host/fleet/index.ts";
import { shortFleet, startedFleet, testAgent, testTenant, testWorker, WAIT } from "../rig.ts";

describe("a worker", () => {
  it("runs a session, and has every update in the log before the end of its turn", async () => {
    const { tenant } = await startedFleet();
    const end = await tenant.run("say 500");
    expect(end.result).toMatchObject({ stopReason: "end_turn" });
    expect(await tenant.text()).toBe(
      Array.from({ length: 500 }, (_, index) => `${index} `).join(""),
    );
    expect(await tenant.types()).toEqual([
      "takeover",
      "opened",
      "prompt",
      "turn_started",
      "turn_ended",
    ]);
    const updates = (await tenant.log()).filter(({ entry }) => entry.type === "update");
    expect(updates.length).toBeLessThan(500);
  });

  it("runs a prompt once, however often it is sent", async () => {
    const { agent, tenant } = await startedFleet();
    await Promise.all(["one", "one", "one"].map((id) => tenant.prompt("hello", id)));
    await tenant.ended("one");
    await tenant.prompt("hello", "one");
    await tenant.run("second");
    expect(agent.prompts).toEqual(["hello", "second"]);
  });

  it("runs the prompts of a session one after the other, up to a limit", async () => {
    const { tenant } = await startedFleet({ limits: { maxQueuedPrompts: 1 } });
    const first = await tenant.prompt("wait");
    await tenant.until("update");
    const second = await tenant.prompt("second");
    await expect(tenant.prompt("third")).rejects.toMatchObject({ code: "try_later" });
    await tenant.client.cancel(tenant.session);
    expect((await tenant.ended(first)).result).toMatchObject({ stopReason: "cancelled" });
    expect((await tenant.ended(second)).result).toMatchObject({ stopReason: "cancelled" });
    expect(await tenant.text()).toBe("waiting");
  });

  it("asks the readers of the log, and takes the first answer", async () => {
    const { tenant } = await startedFleet();
    const prompt = await tenant.prompt("ask");
    const { id, method, params } = await tenant.until("question");
    expect(method).toBe("session/request_permission");
    expect(params).not.toHaveProperty("sessionId");
    const options = params["options"];
    const [option] = Array.isArray(options) ? options : [];
    const result = { outcome: { outcome: "selected", optionId: option.optionId } };
    await tenant.client.answer(tenant.session, { id, by: "me", result });
    const late = tenant.client.answer(tenant.session, { id, by: "you", result });
    await expect(late).rejects.toMatchObject({ code: "invalid_argument" });
    await tenant.ended(prompt);
    expect(await tenant.text()).toBe("allowed");
    expect(await tenant.until("question_closed")).toMatchObject({ id, by: "me" });
  });

  it("denies what no one answers in time", async () => {
    const { tenant } = await startedFleet({ limits: { questionMs: 50 } });
    await tenant.run("ask");
    expect(await tenant.text()).toBe("denied");
  });

  it("passes other requests and the errors of the agent", async () => {
    const { tenant } = await startedFleet();
    const refused = tenant.client.request(tenant.session, "session/set_mode", { modeId: "x" });
    await expect(refused).rejects.toMatchObject({ name: "RpcError", rpcCode: -32601 });
  });

  it("shows a tenant only its own sessions", async () => {
    const { connect, tenant } = await startedFleet();
    const id = tenant.session;
    await tenant.run("hello");
    const other = fleetClient(connect(), "someone else");
    expect(await other.list()).toEqual([]);
    expect(await tenant.client.list()).toMatchObject([{ id, host: "a", isBusy: false }]);
    const unknown = { code: "session_not_found", message: `the session ${id} is unknown` };
    await expect(other.read(id).next()).rejects.toMatchObject(unknown);
    await expect(other.cancel(id)).rejects.toMatchObject(unknown);
    await expect(other.remove(id)).rejects.toMatchObject(unknown);
    await tenant.client.remove(id);
    expect(await tenant.client.list()).toEqual([]);
  });

  it("lets tenants choose the same id, and none that another session has", async () => {
    const engine = shortFleet()();
    const start = { pool: "pool", agent: "test", cwd: "/" };
    const tenants = ["me", "you", "job", "me:x"];
    const ids = new Set<string>();
    for (const tenant of tenants) {
      const client = fleetClient(engine, tenant);
      for (const id of ["mine", "job:me:1", "x:mine"]) {
        const created = await client.create({ ...start, id });
        expect(await client.create({ ...start, id })).toBe(created);
        expect(await client.show(created)).toMatchObject({ tenant, id: created });
        expect(created).not.toMatch(/^job:/);
        ids.add(created);
      }
    }
    expect(ids.size).toBe(3 * tenants.length);
  });

  it("gives an idle session back, and opens it again without its replay", async () => {
    const { agent, events, tenant } = await startedFleet({ limits: { idleMs: 100 } });
    await tenant.run("one");
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe("session_closed"), WAIT);
    await vi.waitFor(() => expect(agent.running).toBe(0), WAIT);
    await tenant.run("two");
    expect(await tenant.text()).toBe("onetwo");
    expect((await tenant.types()).filter((type) => type === "takeover")).toHaveLength(2);
  });

  it("starts a session over that had no prompt yet, if the agent does not have it anymore", async () => {
    const agent = testAgent("test", { canLoad: false });
    const { events, tenant } = await startedFleet({ agents: [agent], limits: { idleMs: 100 } });
    await tenant.client.open(tenant.session);
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe("session_closed"), WAIT);
    await tenant.run("one");
    expect(await tenant.text()).toBe("one");
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe("session_closed"), WAIT);
    await expect(tenant.prompt("two")).rejects.toThrow("cannot open sessions again");
  });

  it("has no more sessions than it may", async () => {
    const { engine, tenant, worker } = await startedFleet({ limits: { maxSessions: 1 } });
    await tenant.run("one");
    await vi.waitFor(async () => {
      const other = (await testTenant(engine)).run("two");
      await expect(other).rejects.toMatchObject({ code: "try_later" });
    }, WAIT);
    expect(worker.sessions).toHaveLength(1);
  });

  it("finishes its turns before it ends", async () => {
    const { engine, agent, worker, tenant } = await startedFleet();
    const prompt = await tenant.prompt("wait");
    await tenant.until("update");
    const drained = worker.drain(60_000);
    await expect(tenant.prompt("more")).rejects.toMatchObject({ code: "try_later" });
    await tenant.client.cancel(tenant.session);
    expect((await tenant.ended(prompt)).result).toMatchObject({ stopReason: "cancelled" });
    await drained;
    await vi.waitFor(() => expect(agent.running).toBe(0), WAIT);
    expect(await engine.hosts.list()).toEqual([]);
    expect(await engine.leases.holder(tenant.session)).toBeUndefined();
  });
});

describe("the death of a worker", () => {
  it("during a turn is reported by another, with everything said so far", async () => {
    const fleet = await startedFleet({ volume: "shared" });
    const { connect, engine: dying, agent, tenant } = fleet;
    const prompt = await tenant.prompt("wait");
    await tenant.until("update");
    const { events } = await testWorker({
      engine: connect(),
      host: "b",
      agents: [agent],
      volume: "shared",
    });
    await dying.close();
    const end = await tenant.ended(prompt);
    expect(end.error?.code).toBe(TURN_CODES.outcomeUnknown);
    expect(await tenant.text()).toBe("waiting");
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe("session_recovered"), WAIT);
    await tenant.run("hello");
    expect(await tenant.text()).toBe("waitinghello");
    // The prompt of the dead worker was not run again.
    expect(agent.prompts).toEqual(["wait", "hello"]);
    await tenant.prompt("wait", prompt);
    expect(agent.prompts).toEqual(["wait", "hello"]);
  });

  it("leaves prompts that were never run, and says so", async () => {
    const { connect, engine: dying, tenant } = await startedFleet();
    await tenant.prompt("wait");
    await tenant.until("turn_started");
    const second = await tenant.prompt("second");
    await testWorker({ engine: connect(), host: "b" });
    await dying.close();
    expect((await tenant.ended(second)).error?.code).toBe(TURN_CODES.notRun);
  });

  it("ends its agents and stops its appends once its lease is lost", async () => {
    const connect = shortFleet();
    const agent = testAgent();
    const engine = connect();
    // The engine still takes appends, and does not renew leases: as if the process had been suspended.
    const deaf: FleetEngine = {
      ...engine,
      leases: {
        ...engine.leases,
        take: async (session, host) => {
          const lease = await engine.leases.take(session, host);
          return (
            lease && {
              ...lease,
              fence: lease.fence,
              validUntil: lease.validUntil,
              renew: () => new Promise<boolean>(() => {}),
              release: () => Promise.resolve(),
            }
          );
        },
      },
    };
    const { events } = await testWorker({ engine: deaf, host: "a", agents: [agent] });
    const tenant = await testTenant(connect());
    await tenant.prompt("wait");
    await tenant.until("update");
    expect(agent.running).toBe(1);
    await vi.waitFor(() => expect(agent.running).toBe(0), WAIT);
    expect(events.at(-1)?.type).toBe("session_lost");
    expect((await tenant.types()).at(-1)).toBe("turn_started");
  });

  it("does not move a session whose history is on the disk of its host", async () => {
    const { connect, engine: dying, tenant } = await startedFleet();
    await tenant.run("hello");
    await testWorker({ engine: connect(), host: "b" });
    await dying.close();
    const moved = tenant.run("again");
    await expect(moved).rejects.toMatchObject({
      code: expect.stringMatching(/no_owner|try_later/),
    });
  });
});

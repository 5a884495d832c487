import { describe, expect, it, onTestFinished } from "vitest";
import { GATEWAY_CODES, gatewayHub, memoryFleet, remoteJobs } from "../../../src/fleet/index.ts";
import { Peer } from "../../../src/rpc/index.ts";
import { memoryPair } from "../../../src/wire/index.ts";
import { testWorker } from "../rig.ts";

const AGENT = { name: "test", key: "test", open: () => Promise.reject(new Error("not here")) };
const JOB = {
  pool: "another",
  agent: "another",
  source: { kind: "root", cwd: "/repo", revision: undefined },
  prompt: "hello",
} as const;

/** A fleet with one worker. Each call of `jobsOf` is another gateway, and the jobs of a client of it. */
async function fleet() {
  const memory = memoryFleet({ limits: { maxWork: 2 } });
  const engine = memory.connect();
  await testWorker({ engine, host: "a" });
  const jobsOf = async (owner: string) => {
    const hub = gatewayHub({ engine: memory.connect(), pool: "pool" });
    const [near, far] = memoryPair();
    hub.serve(far, { agent: AGENT, owner });
    const peer = new Peer(near);
    onTestFinished(async () => {
      await peer.close();
      await hub.close();
    });
    await peer.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
    return remoteJobs(peer);
  };
  return { engine, jobsOf };
}

describe("jobs through a gateway", () => {
  it("are for the agent of the address, and the same id is one job on every gateway", async () => {
    const { jobsOf } = await fleet();
    const first = await (await jobsOf("ada")).submit({ ...JOB, id: "one" });
    expect(first).toMatchObject({ id: "one", agent: "test", pool: "pool" });
    const jobs = await jobsOf("ada");
    expect(await jobs.submit({ ...JOB, id: "one" })).toMatchObject({ id: "one" });
    expect(await jobs.list()).toHaveLength(1);
  });

  it("belong to their tenant", async () => {
    const { jobsOf } = await fleet();
    await (await jobsOf("ada")).submit({ ...JOB, id: "one" });
    const eve = await jobsOf("eve");
    expect(await eve.list()).toEqual([]);
    for (const call of [eve.show("one"), eve.cancel("one"), eve.diff("one"), eve.read("one", 0)]) {
      await expect(call).rejects.toMatchObject({ data: { reason: "invalid" } });
    }
  });

  it("are refused while the queue is full, with an error that says to try later", async () => {
    const { engine, jobsOf } = await fleet();
    const jobs = await jobsOf("ada");
    for (const id of ["one", "two"]) await engine.work.add("a pool without workers", id, "work");
    const refused = jobs.submit({ ...JOB, id: "three" });
    await expect(refused).rejects.toMatchObject({
      code: GATEWAY_CODES.tryLater,
      data: { reason: "try_later" },
    });
    expect(await jobs.list()).toEqual([]);
  });
});

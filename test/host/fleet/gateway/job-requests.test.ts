import { describe, expect, it, onTestFinished } from "vitest";
import {
  fleetJobs,
  GATEWAY_CODES,
  gatewayHub,
  memoryFleet,
  remoteJobs,
} from "../../../../src/host/fleet/index.ts";
import type {
  HubClientOptions,
  HubSessionInfo,
  OpenRequest,
} from "../../../../src/host/hub/index.ts";
import { NamedRootLimits } from "../../../../src/host/hub/serve/root-limits.ts";
import type { TokenGrant } from "../../../../src/transport/remote/index.ts";
import { Peer } from "../../../../src/transport/rpc/index.ts";
import { memoryPair } from "../../../../src/transport/wire/index.ts";
import { testWorker } from "../rig.ts";

const AGENT = { name: "test", key: "test", open: () => Promise.reject(new Error("not here")) };
const JOB = {
  pool: "another",
  agent: "another",
  source: { kind: "root", cwd: "/repo", revision: undefined },
  prompt: "hello",
} as const;

/** A fleet with one worker. Each call of `jobsOf` is another gateway, and the jobs of a client of it. */
async function fleet({ maxWork = 2 } = {}) {
  const memory = memoryFleet({ limits: { maxWork } });
  const engine = memory.connect();
  await testWorker({ engine, host: "a" });
  const jobsOf = async (owner: string, more: Partial<HubClientOptions> = {}) => {
    const roots = owner === "limited" ? ["repo"] : undefined;
    const open = { sha256: "", agents: undefined, role: "controller", expires: undefined } as const;
    const grant: TokenGrant = { name: owner, roots, ...open };
    const limits = new NamedRootLimits(() => [grant]);
    const checkOpen = (request: OpenRequest) => limits.checkOpen(request);
    const hub = gatewayHub({ engine: memory.connect(), pool: "pool" }, { checkOpen });
    const [near, far] = memoryPair();
    const mayUse = (session: HubSessionInfo) => limits.mayUse(grant, session);
    hub.serve(far, { agent: AGENT, owner, mayUse, ...more });
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
      await expect(call).rejects.toMatchObject({ data: { reason: "not_found" } });
    }
    await eve.submit({ ...JOB, id: "one", prompt: "hers" });
    expect(await eve.show("one")).toMatchObject({ tenant: "eve", prompt: "hers" });
  });

  it("exist only for tokens that may use their root and their agent", async () => {
    const { engine, jobsOf } = await fleet({ maxWork: 10 });
    const all = await jobsOf("ada", { tenant: "team" });
    const limited = await jobsOf("limited", { tenant: "team" });
    const elsewhere = { kind: "root", cwd: "/other", revision: undefined } as const;
    const git = { kind: "git", url: "https://host.example/x", revision: undefined } as const;
    await all.submit({ ...JOB, id: "ours" });
    await all.submit({ ...JOB, id: "elsewhere", source: elsewhere });
    await all.submit({ ...JOB, id: "git", source: git });
    await fleetJobs(engine, "team").submit({ ...JOB, id: "agent" });
    expect((await all.list()).map(({ id }) => id).toSorted()).toEqual(["elsewhere", "git", "ours"]);
    expect((await limited.list()).map(({ id }) => id)).toEqual(["ours"]);
    expect(await limited.show("ours")).toMatchObject({ id: "ours" });
    for (const id of ["elsewhere", "git", "agent"]) {
      const calls = {
        show: limited.show(id),
        cancel: limited.cancel(id),
        diff: limited.diff(id),
        read: limited.read(id, 0),
        submit: limited.submit({ ...JOB, id }),
        wait: limited.wait(id),
      };
      const missing = {
        rpcCode: -32602,
        message: expect.stringContaining(`the job ${id} is unknown`),
      };
      for (const call of Object.values(calls)) await expect(call).rejects.toMatchObject(missing);
    }
    await expect(limited.show("nothing")).rejects.toMatchObject({
      rpcCode: -32602,
      message: expect.stringContaining("the job nothing is unknown"),
    });
    expect(await all.show("git")).not.toMatchObject({ state: "cancelled" });
  });

  it("of a token limited to roots cannot name another repository", async () => {
    const { jobsOf } = await fleet();
    const limited = await jobsOf("limited");
    for (const url of ["https://host.example/x", "repo\\x@host.example:y", "repo/x"]) {
      const source = { kind: "git", url, revision: undefined } as const;
      await expect(limited.submit({ ...JOB, id: "1", source })).rejects.toMatchObject({
        rpcCode: -32602,
      });
    }
    expect(await limited.list()).toEqual([]);
  });

  it("are refused to observers", async () => {
    const { jobsOf } = await fleet();
    await (await jobsOf("ada", { tenant: "team" })).submit({ ...JOB, id: "one" });
    const jobs = await jobsOf("eve", { tenant: "team", role: "observer" });
    const calls = [
      jobs.submit({ ...JOB, id: "two" }),
      jobs.cancel("one"),
      jobs.list(),
      jobs.show("one"),
    ];
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ message: expect.stringContaining("observer") });
    }
  });

  it("are refused while the queue is full, with an error that says to try later", async () => {
    const { engine, jobsOf } = await fleet();
    const jobs = await jobsOf("ada");
    for (const id of ["one", "two"]) await engine.work.add("a pool without workers", id, "work");
    const refused = jobs.submit({ ...JOB, id: "three" });
    await expect(refused).rejects.toMatchObject({
      rpcCode: GATEWAY_CODES.tryLater,
      data: { reason: "try_later" },
    });
    expect(await jobs.list()).toEqual([]);
  });
});

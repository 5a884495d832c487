// A worker that stands still for longer than its lease, as on a machine that sleeps.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  connectNats,
  type FleetEngine,
  fleetClient,
  TURN_CODES,
} from "../../../../../src/host/fleet/index.ts";
import { type NatsServers, startNats } from "../../../../host/fleet/nats-server.ts";
import { TestTenant, textOf } from "../../../../host/fleet/rig.ts";
import { processesWithHome } from "../../../../support/droid/leftovers.ts";
import { type FleetProcess, startFleetProcess } from "../../fleet/processes.ts";
import { builtBin, foldersForAll } from "../setup.ts";

const WAIT = { timeout: 60_000, interval: 50 };

describe("a worker that is suspended", () => {
  const bin = builtBin();
  const folders = foldersForAll();
  let servers: NatsServers;
  let engine: FleetEngine;
  const workers = new Map<string, FleetProcess>();

  beforeAll(async () => {
    servers = await startNats();
    engine = await connectNats({ servers: servers.urls });
    const setup = { bin: bin.file, folders, nats: servers.urls };
    for (const name of ["w1", "w2"]) {
      const args = ["-a", "demo", "--root", `repo=${folders.cwd}`, "--volume", "disk"];
      workers.set(name, await startFleetProcess(setup, "worker", [...args, "--worker-name", name]));
    }
  });
  afterAll(async () => {
    for (const worker of workers.values()) await worker.kill("SIGTERM");
    await engine.close();
    await servers.close();
  });

  const agents = async (): Promise<number> => {
    const pids = await processesWithHome(folders.home);
    return pids.filter((pid) => commandOf(pid).includes("demo-agent")).length;
  };

  it("ends its agent when it wakes up, and appends nothing more", async () => {
    const client = fleetClient(engine, "tenant");
    const session = await client.create({ pool: "main", agent: "demo", cwd: "/repo" });
    const tenant = new TestTenant(client, session);
    const prompt = await tenant.prompt("/slow 1000 100");
    await tenant.until("update", (entry) => textOf(entry) !== "");
    const { host } = await tenant.until("takeover");
    const worker = workers.get(host);
    const pid = worker?.pid ?? 0;
    expect(await agents()).toBe(1);

    process.kill(pid, "SIGSTOP");
    try {
      expect((await tenant.ended(prompt)).error?.code).toBe(TURN_CODES.outcomeUnknown);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await vi.waitUntil(() => worker?.err().includes(`lost the session ${session}`), WAIT);
    await vi.waitUntil(async () => (await agents()) === 0, WAIT);

    expect((await tenant.run("what is here?")).result).toMatchObject({ stopReason: "end_turn" });
    const entries = await tenant.log();
    const { fence } = entries.findLast(({ entry }) => entry.type === "takeover") ?? { fence: 0 };
    const start = entries.findIndex((entry) => entry.fence === fence);
    const later = entries.slice(start);
    expect(later[0]?.entry).toMatchObject({ type: "takeover" });
    expect(new Set(later.map((entry) => entry.fence))).toEqual(new Set([fence]));
    const hosts = entries.flatMap(({ entry }) => (entry.type === "takeover" ? [entry.host] : []));
    expect(hosts[1]).not.toBe(host);
  });
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}

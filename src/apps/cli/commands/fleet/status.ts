import { type FleetStatus, fleetStatus } from "../../../../host/fleet/index.ts";
import { eventLine } from "../../render/json/events.ts";
import { table } from "../../render/text/table.ts";
import { timeAgo } from "../../render/text/facts.ts";
import type { Context } from "../../context/context.ts";
import { connectFleet, fleetFailure } from "../../fleet/nats.ts";

/** `dragoman fleet status`. */
export async function showFleet(context: Context): Promise<void> {
  const { mode, screen } = context;
  const engine = await connectFleet(context, { role: "status" });
  try {
    const status = await fleetStatus(engine);
    if (mode === "events") screen.json(eventLine("fleet", status));
    else screen.answer(statusText(status, Date.now()));
    await screen.drained();
  } catch (error) {
    throw fleetFailure(error);
  } finally {
    await engine.close();
  }
}

/** The status for people. Pure. */
export function statusText({ workers, pools, jobs, stores }: FleetStatus, now: number): string {
  const workerRows = workers
    .toSorted((one, other) => (one.host < other.host ? -1 : 1))
    .map((worker) => [
      worker.host,
      worker.pool,
      worker.isDraining ? "draining" : "ready",
      `${worker.sessions}/${worker.maxSessions}`,
      String(worker.turns),
      String(worker.jobs),
      String(worker.unacknowledged),
      timeAgo(worker.reportedAt, now),
      worker.agents.join(", "),
    ]);
  const heads = [
    "WORKER",
    "POOL",
    "STATE",
    "SESSIONS",
    "TURNS",
    "JOBS",
    "UNACKED",
    "SEEN",
    "AGENTS",
  ];
  const poolRows = pools.map((pool) => [
    pool.pool,
    String(pool.sessions),
    String(pool.busy),
    String(pool.queued),
  ]);
  const storeRows = stores.map((store) => [
    store.name,
    String(store.entries),
    String(store.bytes),
    store.leader ?? "",
    store.replicas.map(replicaText).join(", "),
  ]);
  const states = Object.entries(jobs).filter(([, count]) => count > 0);
  const counts = states.map(([state, count]) => `${count} ${state}`);
  return [
    workers.length === 0 ? "no workers\n" : table(heads, workerRows),
    pools.length === 0 ? "" : `\n${table(["POOL", "SESSIONS", "BUSY", "QUEUED"], poolRows)}`,
    counts.length === 0 ? "" : `\njobs: ${counts.join(", ")}\n`,
    stores.length === 0
      ? ""
      : `\n${table(["STORE", "ENTRIES", "BYTES", "LEADER", "REPLICAS (LAG)"], storeRows)}`,
  ].join("");
}

function replicaText({
  server,
  isCurrent,
  lag,
}: FleetStatus["stores"][number]["replicas"][number]) {
  return `${server} (${isCurrent ? lag : `behind, ${lag}`})`;
}

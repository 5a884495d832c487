import { type FleetStatus, fleetStatus, sessionRecording } from "../../../../host/fleet/index.ts";
import { eventLine } from "../../render/json/events.ts";
import { table } from "../../render/text/table.ts";
import { timeAgo } from "../../render/text/facts.ts";
import { type Context, interruptible } from "../../context/context.ts";
import { connectFleet, fleetFailure } from "../../fleet/nats.ts";
import { FLEET_OPTIONS } from "./declaration.ts";
import { usageError } from "../../shell/exit.ts";

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

function statusText({ workers, pools, jobs, stores }: FleetStatus, now: number): string {
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

/** `dragoman fleet export`: the log of a session as a recording, on stdout. Throws a CliError. */
export async function exportSession(context: Context, session: string): Promise<void> {
  const { screen, values, mode } = context;
  if (mode !== "text" && mode !== "simple")
    throw usageError("fleet export prints a recording, and no other format");
  const engine = await connectFleet(context, { role: "status" });
  try {
    await interruptible(context, async (signal) => {
      const follow = values.with(FLEET_OPTIONS).flag("follow");
      for await (const line of sessionRecording(engine, session, { follow, signal })) {
        screen.json(`${line}\n`);
        await screen.drained();
      }
    });
  } catch (error) {
    throw fleetFailure(error);
  } finally {
    await engine.close();
  }
}

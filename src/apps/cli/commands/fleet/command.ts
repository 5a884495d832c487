import { runAction } from "../../connect/run-command.ts";
import { type ExitCode, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { writeFleetConfig } from "./config.ts";
import { FLEET_ACTIONS, FLEET_OPTIONS } from "./declaration.ts";
import { type FleetStatus, fleetStatus, sessionRecording } from "../../../../host/fleet/index.ts";
import { eventLine } from "../../render/json/events.ts";
import { type Columns, listBelow, listText } from "../../render/text/table.ts";
import { timeAgo } from "../../render/text/phrases.ts";
import { type Context, interruptible } from "../../context/context.ts";
import { withFleet } from "../../fleet/nats.ts";

/** `dragoman fleet`: shows a fleet or a session of it, or sets up its servers. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  return runAction(parsed, io, FLEET_ACTIONS, {
    status: showFleet,
    export: exportSession,
    setup: setUpFleet,
    config: writeFleetConfig,
  });
}

export async function showFleet(context: Context): Promise<void> {
  const { mode, screen } = context;
  await withFleet(context, { role: "status" }, async (engine) => {
    const status = await fleetStatus(engine);
    if (mode === "events") screen.json(eventLine("fleet", status));
    else screen.answer(statusText(status, Date.now()));
  });
}

function statusText({ workers, pools, jobs, stores }: FleetStatus, now: number): string {
  const sorted = workers.toSorted((one, other) => (one.host < other.host ? -1 : 1));
  const states = Object.entries(jobs).filter(([, count]) => count > 0);
  const counts = states.map(([state, count]) => `${count} ${state}`);
  return [
    sorted.length === 0 ? "no workers\n" : listText(sorted, workerColumns(now)),
    listBelow(pools, { POOL: "pool", SESSIONS: "sessions", BUSY: "busy", QUEUED: "queued" }),
    counts.length === 0 ? "" : `\njobs: ${counts.join(", ")}\n`,
    listBelow(stores, STORE_COLUMNS),
  ].join("");
}

function workerColumns(now: number): Columns<FleetStatus["workers"][number]> {
  return {
    WORKER: "host",
    POOL: "pool",
    STATE: ({ isDraining }) => (isDraining ? "draining" : "ready"),
    SESSIONS: ({ sessions, maxSessions }) => `${sessions}/${maxSessions}`,
    TURNS: "turns",
    JOBS: "jobs",
    UNACKED: "unacknowledged",
    SEEN: ({ reportedAt }) => timeAgo(reportedAt, now),
    AGENTS: ({ agents }) => agents.join(", "),
  };
}

const STORE_COLUMNS: Columns<FleetStatus["stores"][number]> = {
  STORE: "name",
  ENTRIES: "entries",
  BYTES: "bytes",
  LEADER: "leader",
  "REPLICAS (LAG)": ({ replicas }) =>
    replicas
      .map(({ server, isCurrent, lag }) => `${server} (${isCurrent ? lag : `behind, ${lag}`})`)
      .join(", "),
};

/** `dragoman fleet export`: the log of a session as a recording, on stdout. Throws a CliError. */
export async function exportSession(context: Context, session: string): Promise<void> {
  const { screen, values, mode } = context;
  if (mode !== "text" && mode !== "simple")
    throw usageError("fleet export prints a recording, and no other format");
  const follow = values.with(FLEET_OPTIONS).flag("follow");
  await withFleet(context, { role: "status" }, (engine) =>
    interruptible(context, async (signal) => {
      for await (const line of sessionRecording(engine, session, { follow, signal })) {
        screen.json(`${line}\n`);
        await screen.drained();
      }
    }),
  );
}

/** `dragoman fleet setup`: connecting creates the streams and buckets that are missing. */
export async function setUpFleet(context: Context): Promise<void> {
  await withFleet(context, { role: "admin" }, () => Promise.resolve());
  context.renderer.note("the streams and buckets of the fleet are there");
}

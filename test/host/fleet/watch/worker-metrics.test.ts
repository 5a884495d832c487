import { expect, it } from "vitest";
import { type WorkerEvent, WorkerMetrics } from "../../../../src/host/fleet/index.ts";
import { hostReport } from "../rig.ts";

it("counts the events of a worker, and shows its load", () => {
  const metrics = new WorkerMetrics();
  const events: readonly WorkerEvent[] = [
    { type: "session_opened", session: "s" },
    { type: "session_opened", session: "t" },
    { type: "session_lost", session: "s", message: "fenced" },
    { type: "session_recovered", session: "u", unknown: 1 },
    { type: "job_started", job: "j" },
    { type: "failed", what: "take work", error: new Error("away") },
    { type: "session_closed", session: "t" },
    { type: "job_ended", job: "j" },
  ];
  for (const event of events) metrics.event(event);
  const text = metrics.format(
    hostReport("w1", { sessions: 2, maxSessions: 16, turns: 1, jobs: 1, unacknowledged: 7 }),
  );
  const values = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(values).toEqual([
    "dragoman_sessions 2",
    "dragoman_sessions_max 16",
    "dragoman_turns_running 1",
    "dragoman_jobs_running 1",
    "dragoman_entries_unacknowledged 7",
    "dragoman_sessions_opened_total 2",
    "dragoman_sessions_lost_total 1",
    "dragoman_sessions_recovered_total 1",
    "dragoman_jobs_started_total 1",
    "dragoman_worker_failures_total 1",
    "dragoman_draining 0",
  ]);
});

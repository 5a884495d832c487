/** What `dragoman/fleet` publishes. */
export * from "./client.ts";
export type * from "./engine.ts";
export { FleetError } from "./errors.ts";
export { GATEWAY_CODES } from "./gateway/shown.ts";
export * from "./gateway/hub.ts";
export { memoryFleet, type MemoryFleet, type MemoryFleetOptions } from "./memory/engine.ts";
export { connectNats } from "./nats/engine.ts";
export type * from "./nats/options.ts";
export { type FleetJobs, fleetJobs } from "./jobs/client.ts";
export type {
  FleetJob,
  JobBudget,
  JobDiff,
  JobResult,
  JobSource,
  JobState,
  NewJob,
} from "./jobs/job.ts";
export { chooseHost, type FleetHost, listHosts } from "./hosts.ts";
export { type FleetEntry, readEntry, TURN_CODES, type TurnFailure } from "./session/entries.ts";
export type { FleetSession } from "./session/record.ts";
export type { FleetWorker, WorkerEvent, WorkerOptions, WorkerSettings } from "./worker/options.ts";
export * from "./watch/recording.ts";
export { type FleetStatus, fleetStatus, type PoolStatus } from "./watch/status.ts";
export * from "./worker/worker.ts";

/** What `dragoman/fleet` publishes. */
export * from "./client.ts";
export type {
  AppendOptions,
  CallServer,
  EngineLimits,
  FleetCallOptions,
  FleetCalls,
  FleetEngine,
  FleetLeases,
  FleetLog,
  FleetQueue,
  FleetTable,
  FleetValues,
  Lease,
  LeaseHolder,
  LoggedEntry,
  ReadOptions,
  ReplicaHealth,
  StoreHealth,
  TableChange,
  TableEntry,
  TakeOptions,
  WorkItem,
} from "./engine.ts";
export { FleetError, type FleetErrorCode } from "./errors.ts";
export { GATEWAY_CODES } from "./gateway/errors.ts";
export * from "./gateway/hub.ts";
export type { JobBudget } from "./jobs/budget.ts";
export * from "./memory/engine.ts";
export * from "./nats/engine.ts";
export type * from "./nats/options.ts";
export { type FleetJobs, fleetJobs } from "./jobs/client.ts";
export type { FleetJob, JobDiff, JobResult, JobSource, JobState, NewJob } from "./jobs/job.ts";
export { chooseHost, type FleetHost, listHosts } from "./hosts.ts";
export { type FleetEntry, readEntry, TURN_CODES, type TurnFailure } from "./session/entries.ts";
export type { FleetSession } from "./session/record.ts";
export type { FleetWorker, WorkerEvent, WorkerOptions, WorkerSettings } from "./worker/options.ts";
export * from "./watch/recording.ts";
export * from "./watch/status.ts";
export * from "./worker/worker.ts";

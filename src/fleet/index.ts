/** Joins hubs on many machines: logs, leases, calls and work on one engine. */
export {
  type FleetClient,
  fleetClient,
  type FleetPrompt,
  type FollowedEntry,
  type NewFleetSession,
  type OpenSessionOptions,
  type QuestionAnswer,
} from "./client.ts";
export {
  type AppendOptions,
  type CallServer,
  type EngineLimits,
  type FleetCalls,
  type FleetEngine,
  type FleetLeases,
  type FleetLog,
  type FleetQueue,
  type FleetTable,
  type FleetValues,
  type FleetCallOptions,
  type Lease,
  type LeaseHolder,
  type LoggedEntry,
  type ReadOptions,
  type ReplicaHealth,
  type StoreHealth,
  type TableChange,
  type TableEntry,
  type TakeOptions,
  type WorkItem,
} from "./engine.ts";
export { FleetError, type FleetErrorCode } from "./errors.ts";
export { GATEWAY_CODES } from "./gateway/errors.ts";
export { gatewayHub, type GatewayOptions } from "./gateway/hub.ts";
export { remoteJobs } from "./jobs/remote.ts";
export { type JobEntries, readJobEntries } from "./jobs/read.ts";
export type { JobBudget } from "./jobs/budget.ts";
export { memoryFleet, type MemoryFleet, type MemoryFleetOptions } from "./memory/engine.ts";
export {
  createNatsUsers,
  FLEET_ROLES,
  type FleetUser,
  inboxOf,
  natsRightsConfig,
  type NatsServerTls,
  type NatsUser,
} from "./rights.ts";
export { connectNats } from "./nats/engine.ts";
export type { NatsCredentials, NatsOptions, NatsStorage, NatsTls } from "./nats/options.ts";
export { type FleetJobs, fleetJobs } from "./jobs/client.ts";
export type { FleetJob, JobDiff, JobResult, JobSource, JobState, NewJob } from "./jobs/job.ts";
export { chooseHost, type FleetHost, listHosts } from "./hosts.ts";
export { readEntry, type FleetEntry, TURN_CODES, type TurnFailure } from "./session/entries.ts";
export type { FleetSession } from "./session/record.ts";
export type { FleetWorker, WorkerEvent, WorkerOptions, WorkerSettings } from "./worker/options.ts";
export { sessionRecording, type SessionRecordingOptions } from "./watch/recording.ts";
export { type FleetStatus, fleetStatus, type PoolStatus } from "./watch/status.ts";
export { WorkerMetrics } from "./watch/worker-metrics.ts";
export { startWorker } from "./worker/worker.ts";

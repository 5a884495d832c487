/** Joins hubs on many machines: logs, leases, calls and work on one engine. */
export * from "./client.ts";
export type * from "./engine.ts";
export { FleetError } from "./errors.ts";
export { GATEWAY_CODES } from "./gateway/shown.ts";
export * from "./gateway/hub.ts";
export { memoryFleet, type MemoryFleet, type MemoryFleetOptions } from "./memory/engine.ts";
export { connectNats } from "./nats/engine.ts";
export type * from "./nats/options.ts";
export { type FleetJobs, fleetJobs } from "./jobs/client.ts";
export type { FleetJob, JobSource, NewJob } from "./jobs/job.ts";
export { chooseHost, type FleetHost, listHosts } from "./hosts.ts";
export { type FleetEntry, readEntry, TURN_CODES } from "./session/entries.ts";
export type { FleetWorker, WorkerEvent, WorkerOptions } from "./worker/options.ts";
export * from "./watch/recording.ts";
export { type FleetStatus, fleetStatus } from "./watch/status.ts";
export * from "./worker/worker.ts";
export { remoteJobs } from "./jobs/remote.ts";
export { type JobEntries, readJobEntries } from "./jobs/client.ts";
export {
  createNatsUsers,
  FLEET_ROLES,
  type FleetUser,
  inboxOf,
  natsRightsConfig,
  type NatsServerTls,
  type NatsUser,
} from "./rights.ts";
export { WorkerMetrics } from "./watch/status.ts";

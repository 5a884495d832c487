/** Joins hubs on many machines: logs, leases, calls and work on one engine. */
export * from "./public.ts";
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

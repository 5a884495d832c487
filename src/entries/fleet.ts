/** `dragoman/fleet`: run sessions on many machines, joined by NATS or in memory. */
export {
  connectNats,
  type FleetClient,
  type FleetEntry,
  fleetClient,
  FleetError,
  type FleetJob,
  type FleetJobs,
  fleetJobs,
  type FleetStatus,
  fleetStatus,
  type FleetWorker,
  type GatewayOptions,
  gatewayHub,
  memoryFleet,
  type MemoryFleet,
  type MemoryFleetOptions,
  type NatsOptions,
  type NewJob,
  readEntry,
  sessionRecording,
  startWorker,
  type WorkerOptions,
} from "../host/fleet/index.ts";
export { type HubRoots, openRoots } from "../host/hub/index.ts";
export { DragomanError, type ErrorCode } from "../base/index.ts";

import { setMaxListeners } from "node:events";
import { definedFields, type Overrides } from "../../../base/index.ts";
import { DEFAULT_ENGINE_LIMITS, type EngineLimits, type FleetEngine } from "../engine.ts";
import { leasesOn } from "../leases.ts";
import { memoryCalls } from "./calls.ts";
import { memoryLog, MemoryLogs } from "./log.ts";
import { whileOpen } from "./open.ts";
import { MemoryQueue, memoryQueue } from "./queue.ts";
import { MemoryTable, memoryTable } from "./table.ts";
import { MemoryValues, memoryValues } from "./values.ts";

/** Options of {@link memoryFleet}. */
export interface MemoryFleetOptions {
  /** Changes to the limits. */
  readonly limits?: Overrides<EngineLimits> | undefined;
  /**
   * The most that is kept of the log of each session, in characters. The oldest entries go first. Default:
   * 64 Mi.
   */
  readonly maxLogChars?: number | undefined;
  /** The most that is kept of all large values, in characters. The oldest go first. Default: 256 Mi. */
  readonly maxValueChars?: number | undefined;
}

/** A fleet in the memory of one process. It loses everything with the process. */
export interface MemoryFleet {
  /** Joins the fleet. Each engine can be closed by itself, like a process that ends. */
  connect(): FleetEngine;
}

const MI = 1024 * 1024;
const MAX_LOG_CHARS = 64 * MI;
const MAX_VALUE_CHARS = 256 * MI;

/** Creates a fleet in memory, for one machine and for tests. */
export function memoryFleet(options: MemoryFleetOptions = {}): MemoryFleet {
  const limits = { ...DEFAULT_ENGINE_LIMITS, ...definedFields(options.limits) };
  const logs = new MemoryLogs(options.maxLogChars ?? MAX_LOG_CHARS);
  const queue = new MemoryQueue(limits);
  const forever = Number.POSITIVE_INFINITY;
  const leases = new MemoryTable(limits.leaseMs);
  const hosts = new MemoryTable(limits.hostMs);
  const sessions = new MemoryTable(forever);
  const jobs = new MemoryTable(forever);
  const handlers = new Map<string, (text: string) => Promise<string>>();
  const values = new MemoryValues(options.maxValueChars ?? MAX_VALUE_CHARS);
  return {
    connect: () => {
      const end = new AbortController();
      const closed = end.signal;
      // Every reader and every pause listens to it.
      setMaxListeners(0, closed);
      return {
        limits,
        log: memoryLog(logs, closed),
        leases: leasesOn(memoryTable(leases, closed), limits.leaseMs),
        calls: memoryCalls(handlers, limits.callMs, closed),
        work: memoryQueue(queue, closed),
        hosts: memoryTable(hosts, closed),
        sessions: memoryTable(sessions, closed),
        jobs: memoryTable(jobs, closed),
        values: memoryValues(values, closed),
        health: () => whileOpen(closed, () => Promise.resolve([])),
        close: () => Promise.resolve(end.abort()),
      };
    },
  };
}

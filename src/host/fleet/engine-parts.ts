import { quietly, randomId } from "../../base/index.ts";
import type { EngineLimits, FleetLeases, FleetTable, Lease, LeaseHolder } from "./engine.ts";
import { closedError } from "./errors.ts";
import { setTimeout } from "node:timers/promises";

export const DEFAULT_ENGINE_LIMITS: EngineLimits = {
  leaseMs: 15_000,
  hostMs: 15_000,
  callMs: 2000,
  workMs: 30_000,
  maxWork: 10_000,
  retryMs: 20_000,
};

/**
 * The part of a lease's time that its holder gives up, so that it has stopped before another host can
 * start: clocks run at different speeds, and a renewal takes time.
 */
const MARGIN = 1 / 5;

/** A lease as the table has it. */
interface LeaseRecord {
  readonly host: string;
  /** Tells the leases of one host apart. */
  readonly token: string;
  /** The revision of the record when the lease was taken; undefined in its first version. */
  readonly fence?: number | undefined;
}

/** Leases on a table whose records expire: the record of a session names its owner. */
export function leasesOn(table: FleetTable, leaseMs: number): FleetLeases {
  return {
    take: (session, host) => quietly(() => take(table, leaseMs, session, host)),
    holder: (session) => quietly(() => holder(table, session)),
  };
}

async function take(
  table: FleetTable,
  leaseMs: number,
  session: string,
  host: string,
): Promise<Lease | undefined> {
  const token = randomId();
  const startedAt = performance.now();
  const fence = await table.create(session, JSON.stringify({ host, token }));
  if (fence === undefined) return undefined;
  return new TableLease(table, leaseMs, { session, host, token, fence }, startedAt);
}

async function holder(table: FleetTable, session: string): Promise<LeaseHolder | undefined> {
  const entry = await table.get(session);
  if (!entry) return undefined;
  const { host, fence = entry.revision } = parseRecord(entry.value);
  return { host, fence };
}

function parseRecord(text: string): LeaseRecord {
  const record: unknown = JSON.parse(text);
  if (typeof record !== "object" || record === null) return { host: "", token: "" };
  const { host, token, fence }: Partial<Record<string, unknown>> = { ...record };
  return {
    host: typeof host === "string" ? host : "",
    token: typeof token === "string" ? token : "",
    fence: typeof fence === "number" ? fence : undefined,
  };
}

interface HeldLease {
  readonly session: string;
  readonly host: string;
  readonly token: string;
  readonly fence: number;
}

class TableLease implements Lease {
  readonly session: string;
  readonly host: string;
  readonly fence: number;
  readonly #table: FleetTable;
  readonly #leaseMs: number;
  readonly #value: string;
  readonly #token: string;
  #revision: number;
  #renewedAt: number;
  #isLost = false;

  constructor(table: FleetTable, leaseMs: number, held: HeldLease, takenAt: number) {
    const { session, host, token, fence } = held;
    this.session = session;
    this.host = host;
    this.fence = fence;
    this.#table = table;
    this.#leaseMs = leaseMs;
    this.#token = token;
    this.#value = JSON.stringify({ host, token, fence });
    this.#revision = fence;
    this.#renewedAt = takenAt;
  }

  get validUntil(): number {
    return this.#isLost ? 0 : this.#renewedAt + this.#leaseMs * (1 - MARGIN);
  }

  renew(): Promise<boolean> {
    return quietly(async () => {
      if (this.#isLost) return false;
      // The time counts from before the request, because the engine may have carried it out at once.
      const startedAt = performance.now();
      const revision = await this.#table.update(this.session, this.#value, this.#revision);
      if (revision === undefined) return this.#stillOurs(startedAt);
      this.#revision = revision;
      this.#renewedAt = startedAt;
      return true;
    });
  }

  release(): Promise<void> {
    return quietly(async () => {
      if (this.#isLost) return;
      this.#isLost = true;
      // If this fails, the lease expires.
      await this.#table.delete(this.session, this.#revision).catch(() => {});
    });
  }

  /** Whether the change that came first is an earlier renewal of our own, whose answer was lost. */
  async #stillOurs(startedAt: number): Promise<boolean> {
    const entry = await this.#table.get(this.session);
    if (entry && parseRecord(entry.value).token === this.#token) {
      this.#revision = entry.revision;
      const revision = await this.#table.update(this.session, this.#value, entry.revision);
      if (revision !== undefined) {
        this.#revision = revision;
        this.#renewedAt = startedAt;
        return true;
      }
    }
    this.#isLost = true;
    return false;
  }
}

/** Throws FleetError `closed` if the engine is closed. */
export function checkOpen(closed: AbortSignal): void {
  if (closed.aborted) throw closedError("the engine");
}

/** Does work of an engine, as a promise. Rejects with FleetError `closed` if the engine is closed. */
export function whileOpen<T>(closed: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  return quietly(async () => {
    checkOpen(closed);
    return work();
  });
}

/** Waits, or until the signal is aborted. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {});
}

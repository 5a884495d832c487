import { createHash } from "node:crypto";
import type * as jetstreamPackage from "@nats-io/jetstream";
import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type * as kvPackage from "@nats-io/kv";
import type * as transportPackage from "@nats-io/transport-node";
import type { NatsConnection } from "@nats-io/transport-node";
import { toError, pause } from "../../../base/index.ts";
import type { EngineLimits } from "../engine.ts";
import { closedError, FleetError } from "../errors.ts";

/** One connection to the servers, and everything that its parts share. */
export interface NatsContext {
  readonly packages: NatsPackages;
  readonly connection: NatsConnection;
  readonly streams: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly names: NatsNames;
  readonly limits: EngineLimits;
  readonly closed: AbortSignal;
}

/** How long one attempt waits for the servers. An election takes longer; then the next attempt counts. */
export const ATTEMPT_MS = 2000;

/** The time between two attempts. Servers refuse at once during an election. */
const PAUSE_MS = 100;

/** Repeats an attempt within the retry budget, unless it fails with a FleetError. Rejects with FleetError. */
export async function retried<T>(
  { limits, closed, packages }: Pick<NatsContext, "limits" | "closed" | "packages">,
  what: string,
  attempt: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + limits.retryMs;
  for (;;) {
    if (closed.aborted) throw closedError("the engine");
    let cause: Error;
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof FleetError) throw error;
      cause = toError(error);
    }
    const { PermissionViolationError } = packages.transport;
    if ([cause, cause.cause].some((one) => one instanceof PermissionViolationError)) {
      throw new FleetError("not_allowed", `could not ${what}: ${cause.message}`, { cause });
    }
    if (performance.now() >= until) {
      const message = `could not ${what} within ${limits.retryMs} ms: ${cause.message}`;
      throw new FleetError("unavailable", message, { cause });
    }
    await pause(PAUSE_MS, closed);
  }
}

export type NatsBucket = "lease" | "host" | "session" | "job";

/** The names of everything that a fleet has on its servers. */
type NatsNames = ReturnType<typeof natsNames>;

export function natsNames(prefix: string) {
  const upper = prefix.toUpperCase();
  const [events, values, work] = [`${upper}_EV`, `${upper}_VAL`, `${upper}_WORK`];
  const buckets: Readonly<Record<NatsBucket, string>> = {
    lease: `${prefix}_lease`,
    host: `${prefix}_host`,
    session: `${prefix}_session`,
    job: `${prefix}_job`,
  };
  return {
    events,
    values,
    work,
    buckets,
    /** All streams, those of the buckets included. */
    streams: [events, values, work, ...Object.values(buckets).map((name) => `KV_${name}`)],
    subjects: { events: `${prefix}.ev.*`, values: `${prefix}.val.*.*`, work: `${prefix}.work.*` },
    eventSubject: (session: string) => `${prefix}.ev.${token(session)}`,
    workSubject: (pool: string) => `${prefix}.work.${token(pool)}`,
    /** The consumer that all workers of a pool share. */
    workConsumer: (pool: string) => `pool-${token(pool)}`,
    valueSubject: (id: string, part: number) => `${prefix}.val.${token(id)}.${part}`,
    hostSubject: (host: string) => `${prefix}.host.${token(host)}`,
    recordSubject: (bucket: NatsBucket, key: string) => `$KV.${buckets[bucket]}.${token(key)}`,
  };
}

/** The longest id that becomes part of a subject as it is; NATS allows longer subjects, but slowly. */
const MAX_ID_BYTES = 96;

/** Pure: an id as one token of a subject. Ids may hold any character; a long one becomes its hash. */
export function token(id: string): string {
  const bytes = Buffer.from(id, "utf8");
  if (bytes.length <= MAX_ID_BYTES) return `b${bytes.toString("base64url")}`;
  return `h${createHash("sha256").update(bytes).digest("base64url")}`;
}

/** Pure: the id that a token was made of; undefined if only its hash is known. */
export function idOfSubjectToken(text: string): string | undefined {
  return text.startsWith("b")
    ? Buffer.from(text.slice(1), "base64url").toString("utf8")
    : undefined;
}

/** The packages of NATS, which only a fleet on NATS needs. */
export interface NatsPackages {
  readonly transport: typeof transportPackage;
  readonly jetstream: typeof jetstreamPackage;
  readonly kv: typeof kvPackage;
}

const NATS_INSTALL = "npm install @nats-io/transport-node@3 @nats-io/jetstream@3 @nats-io/kv@3";

/** Loads the packages. Bundlers accept imports inside a `try`. Rejects with `missing_package`. */
export async function loadNatsPackages(): Promise<NatsPackages> {
  try {
    const transport = await import("@nats-io/transport-node");
    const jetstream = await import("@nats-io/jetstream");
    const kv = await import("@nats-io/kv");
    return { transport, jetstream, kv };
  } catch (error) {
    throw packageError(error);
  }
}

export function packageError(cause: unknown): Error {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const isMissing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  if (!isMissing) return toError(cause);
  const message = `a fleet on NATS needs packages that are not installed: ${NATS_INSTALL}`;
  return new FleetError("missing_package", message, { cause });
}

import { createHash } from "node:crypto";

/** The longest id that becomes part of a subject as it is; NATS allows longer subjects, but slowly. */
const MAX_ID_BYTES = 96;

/**
 * Pure: an id as one token of a subject. Ids may hold dots, spaces and wildcards, so they are encoded. A
 * long one becomes its hash.
 */
export function token(id: string): string {
  const bytes = Buffer.from(id, "utf8");
  if (bytes.length <= MAX_ID_BYTES) return `b${bytes.toString("base64url")}`;
  return `h${createHash("sha256").update(bytes).digest("base64url")}`;
}

/** Pure: the id that a token was made of; undefined if only its hash is known. */
export function idOf(text: string): string | undefined {
  return text.startsWith("b")
    ? Buffer.from(text.slice(1), "base64url").toString("utf8")
    : undefined;
}

/** The names of everything that a fleet has on its servers. */
export interface NatsNames {
  /** The stream of all logs. */
  readonly events: string;
  /** The stream of all work. */
  readonly work: string;
  /** The stream of large values. */
  readonly values: string;
  /** The buckets. */
  readonly buckets: Readonly<Record<NatsBucket, string>>;
  /** The subject of a session's log. */
  eventSubject(session: string): string;
  /** The subject of a pool's work. */
  workSubject(pool: string): string;
  /** The consumer that all workers of a pool share. */
  workConsumer(pool: string): string;
  /** The subject of one part of a large value. */
  valueSubject(id: string, part: number): string;
  /** The subject of calls to a host. */
  hostSubject(host: string): string;
  /** The subject of a record in a bucket. */
  recordSubject(bucket: NatsBucket, key: string): string;
}

/** The buckets of a fleet. */
export type NatsBucket = "lease" | "host" | "session" | "job";

/** Pure: the names that begin with a prefix. */
export function natsNames(prefix: string): NatsNames {
  const upper = prefix.toUpperCase();
  const buckets = {
    lease: `${prefix}_lease`,
    host: `${prefix}_host`,
    session: `${prefix}_session`,
    job: `${prefix}_job`,
  };
  return {
    events: `${upper}_EV`,
    work: `${upper}_WORK`,
    values: `${upper}_VAL`,
    buckets,
    eventSubject: (session) => `${prefix}.ev.${token(session)}`,
    workSubject: (pool) => `${prefix}.work.${token(pool)}`,
    workConsumer: (pool) => `pool-${token(pool)}`,
    valueSubject: (id, part) => `${prefix}.val.${token(id)}.${part}`,
    hostSubject: (host) => `${prefix}.host.${token(host)}`,
    recordSubject: (bucket, key) => `$KV.${buckets[bucket]}.${token(key)}`,
  };
}

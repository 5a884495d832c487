import { createHash } from "node:crypto";

export type NatsBucket = "lease" | "host" | "session" | "job";

/** The names of everything that a fleet has on its servers. */
export type NatsNames = ReturnType<typeof natsNames>;

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

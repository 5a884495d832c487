import type { StreamConfig } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import { type NatsContext, retried } from "./context.ts";
import type { NatsBucket } from "./names.ts";
import type { NatsStorage } from "./options.ts";

/** How long logs, large values and jobs are kept by default: 7 days. */
export const MAX_AGE_MS = 7 * 24 * 60 * 60_000;
/** How long an id is remembered, so that a repeated message is not stored again. */
const EVENT_WINDOW_MS = 2 * 60_000;
const WORK_WINDOW_MS = 10 * 60_000;

/** Creates the streams that are missing. Existing ones stay as they are. Rejects with FleetError. */
export async function setUpStreams(context: NatsContext, storage: NatsStorage): Promise<void> {
  for (const config of streamsOf(context, storage)) await addStream(context, config);
}

function streamsOf(
  { names, packages, limits, connection }: NatsContext,
  storage: NatsStorage,
): readonly (Partial<StreamConfig> & { readonly name: string })[] {
  const { DiscardPolicy, RetentionPolicy, StorageType } = packages.jetstream;
  const { nanos } = packages.transport;
  const { maxAgeMs = MAX_AGE_MS, maxEntries = 100_000, maxBytes = -1 } = storage;
  const common = { storage: StorageType.File, num_replicas: replicasOf(connection, storage) };
  const prefix = names.eventSubject("").split(".")[0] ?? "";
  return [
    {
      ...common,
      name: names.events,
      subjects: [`${prefix}.ev.*`],
      max_age: nanos(maxAgeMs),
      max_msgs_per_subject: maxEntries,
      max_bytes: maxBytes,
      duplicate_window: nanos(EVENT_WINDOW_MS),
      // Readers ask any replica. All have the same entries in the same order.
      allow_direct: true,
    },
    {
      ...common,
      name: names.values,
      subjects: [`${prefix}.val.*.*`],
      max_age: nanos(maxAgeMs),
      max_bytes: maxBytes,
      duplicate_window: nanos(EVENT_WINDOW_MS),
    },
    {
      ...common,
      name: names.work,
      subjects: [`${prefix}.work.*`],
      retention: RetentionPolicy.Workqueue,
      discard: DiscardPolicy.New,
      max_msgs: limits.maxWork,
      duplicate_window: nanos(WORK_WINDOW_MS),
    },
  ];
}

/** A server of a cluster names the cluster. */
function replicasOf(connection: NatsContext["connection"], storage: NatsStorage): number {
  return storage.replicas ?? (connection.info?.cluster === undefined ? 1 : 3);
}

async function addStream(
  context: NatsContext,
  config: Partial<StreamConfig> & { readonly name: string },
): Promise<void> {
  const { manager, packages } = context;
  const { JetStreamApiError } = packages.jetstream;
  await retried(context, `create the stream ${config.name}`, async () => {
    try {
      await manager.streams.info(config.name);
    } catch (error) {
      if (!(error instanceof JetStreamApiError)) throw error;
      await manager.streams.add(config);
    }
    return { value: undefined };
  });
}

/** Opens a bucket, and creates it if `storage` is given. With `ttlMs`, its records expire. */
export function openBucket(
  context: NatsContext,
  bucket: NatsBucket,
  ttlMs: number | undefined,
  storage: NatsStorage | undefined,
): Promise<KV> {
  const { packages, names, streams, connection } = context;
  const name = names.buckets[bucket];
  const kvm = new packages.kv.Kvm(streams);
  // A direct read may come from a server that is behind, and would show an owner that is gone.
  const reads = { allow_direct: false };
  return retried(context, `open the bucket ${name}`, async () => {
    if (!storage) return { value: await kvm.open(name, reads) };
    const replicas = replicasOf(connection, storage);
    const ttl = ttlMs === undefined ? {} : { ttl: ttlMs };
    return { value: await kvm.create(name, { ...reads, ...ttl, replicas, history: 1 }) };
  });
}

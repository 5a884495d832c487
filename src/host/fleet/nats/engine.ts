import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import type { StreamConfig } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { definedFields, quietly, toError } from "../../../base/index.ts";
import { DEFAULT_ENGINE_LIMITS, engineOf, type EngineParts } from "../engine-parts.ts";
import type { FleetEngine, StoreHealth } from "../engine.ts";
import { FleetError } from "../errors.ts";
import { natsCalls } from "./calls.ts";
import { type NatsContext, retried } from "./context.ts";
import { natsLog } from "./log.ts";
import type { NatsCredentials, NatsOptions, NatsStorage, NatsTls } from "./options.ts";
import { getValue, putValue } from "./publish.ts";
import { NatsTable } from "./table.ts";
import { NatsQueue } from "./work-queue.ts";
import { type NatsBucket, natsNames } from "./names.ts";
import { loadNatsPackages, type NatsPackages } from "./packages.ts";

/** The time between two attempts to reach a server. */
const RECONNECT_MS = 100;
const CONNECT_MS = 5000;
/** How long the servers may take for a request. The engine asks again after that. */
const API_MS = 3000;

/**
 * Connects to NATS servers with JetStream, and creates the streams of the fleet where they are missing. The
 * connection moves to another server when its own is gone. Rejects with FleetError: `missing_package`,
 * `cannot_connect` or `unavailable`.
 */
export function connectNats(options: NatsOptions): Promise<FleetEngine> {
  return quietly(() => connect(options));
}

async function connect(options: NatsOptions): Promise<FleetEngine> {
  const packages = await loadNatsPackages();
  const connection = await openConnection(packages, options);
  const end = new AbortController();
  // Every reader and every pause listens to it.
  setMaxListeners(0, end.signal);
  const close = async (): Promise<void> => {
    end.abort();
    await connection.close();
  };
  try {
    const names = natsNames(checkedPrefix(options.prefix ?? "dr"));
    const limits = { ...DEFAULT_ENGINE_LIMITS, ...definedFields(options.limits) };
    const { jetstream, jetstreamManager } = packages.jetstream;
    const context: NatsContext = {
      packages,
      connection,
      streams: jetstream(connection, { timeout: API_MS }),
      manager: await jetstreamManager(connection, { timeout: API_MS, checkAPI: false }),
      names,
      limits,
      closed: end.signal,
    };
    const storage = options.setup === false ? undefined : (options.storage ?? {});
    if (storage) await setUpStreams(context, storage);
    const table = async (bucket: NatsBucket, ttlMs?: number) =>
      new NatsTable(context, bucket, await openBucket(context, bucket, ttlMs, storage));
    const parts: EngineParts = {
      limits,
      log: natsLog(context),
      leases: await table("lease", limits.leaseMs),
      calls: natsCalls(context),
      work: new NatsQueue(context),
      hosts: await table("host", limits.hostMs),
      sessions: await table("session"),
      jobs: await table("job", storage?.maxAgeMs ?? MAX_AGE_MS),
      values: {
        put: (text) => putValue(context, text),
        get: (reference) => getValue(context, reference),
      },
      health: () => healthOf(context),
      close,
    };
    return engineOf(parts, end.signal);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Prefixes become parts of names of streams and subjects. */
const PREFIX = /^[A-Za-z][A-Za-z0-9-]*$/;

function checkedPrefix(prefix: string): string {
  if (PREFIX.test(prefix)) return prefix;
  const message = `the prefix ${JSON.stringify(prefix)} is not valid: use letters, digits and "-"`;
  throw new FleetError("invalid_argument", message);
}

async function openConnection(
  packages: NatsPackages,
  options: NatsOptions,
): Promise<NatsConnection> {
  const { servers, name, credentials, tls, inboxPrefix } = options;
  try {
    return await packages.transport.connect({
      servers: typeof servers === "string" ? servers : [...servers],
      ...definedFields({ name, inboxPrefix }),
      ...(credentials ? credentialOptions(packages, credentials) : {}),
      ...(tls ? { tls: tlsOptions(tls) } : {}),
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      timeout: CONNECT_MS,
    });
  } catch (cause) {
    const shown = [servers].flat().map(withoutPassword).join(", ");
    const message = `could not connect to NATS at ${shown}: ${toError(cause).message}`;
    throw new FleetError("connect_failed", message, { cause });
  }
}

/** An address may have a user and a password, which errors must not show. */
function withoutPassword(server: string): string {
  return server.replace(/[^/@]*@/, "");
}

function tlsOptions({ caFile, certFile, keyFile }: NatsTls) {
  return { ...definedFields({ caFile, certFile, keyFile }) };
}

function credentialOptions(
  packages: NatsPackages,
  credentials: NatsCredentials,
): Partial<NodeConnectionOptions> {
  switch (credentials.kind) {
    case "file": {
      const { path } = credentials;
      readFileSync(path);
      return { authenticator: packages.transport.credsAuthenticator(() => readFileSync(path)) };
    }
    case "nkey": {
      const seed = readFileSync(credentials.path, "utf8").trim();
      const bytes = new TextEncoder().encode(seed);
      return { authenticator: packages.transport.nkeyAuthenticator(bytes) };
    }
    case "password":
      return { user: credentials.user, pass: credentials.password };
    case "token":
      return { token: credentials.token };
  }
}

/** How long logs, large values and jobs are kept by default: 7 days. */
const MAX_AGE_MS = 7 * 24 * 60 * 60_000;
/** How long an id is remembered, so that a repeated message is not stored again. */
const EVENT_WINDOW_MS = 2 * 60_000;
const WORK_WINDOW_MS = 10 * 60_000;

/** Creates the streams that are missing. Existing ones stay as they are. Rejects with FleetError. */
async function setUpStreams(context: NatsContext, storage: NatsStorage): Promise<void> {
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
  return [
    {
      ...common,
      name: names.events,
      subjects: [names.subjects.events],
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
      subjects: [names.subjects.values],
      max_age: nanos(maxAgeMs),
      max_bytes: maxBytes,
      duplicate_window: nanos(EVENT_WINDOW_MS),
    },
    {
      ...common,
      name: names.work,
      subjects: [names.subjects.work],
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
  });
}

/** Opens a bucket, and creates it if `storage` is given. With `ttlMs`, its records expire. */
function openBucket(
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
    if (!storage) return kvm.open(name, reads);
    const replicas = replicasOf(connection, storage);
    const ttl = ttlMs === undefined ? {} : { ttl: ttlMs };
    return kvm.create(name, { ...reads, ...ttl, replicas, history: 1 });
  });
}

/** The streams of a fleet, with their replicas. Rejects with FleetError `unavailable`. */
function healthOf(context: NatsContext): Promise<readonly StoreHealth[]> {
  const { manager, names } = context;
  return Promise.all(
    names.streams.map((name) =>
      retried(context, `read the state of ${name}`, async () => {
        const { state, cluster } = await manager.streams.info(name);
        const replicas = (cluster?.replicas ?? []).map((replica) => ({
          server: replica.name,
          isCurrent: replica.current && !replica.offline,
          lag: replica.lag ?? 0,
        }));
        const { messages: entries, bytes } = state;
        return { name, entries, bytes, leader: cluster?.leader, replicas };
      }),
    ),
  );
}

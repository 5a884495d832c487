import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { definedFields, quietly, toError } from "../../../base/index.ts";
import { DEFAULT_ENGINE_LIMITS, type FleetEngine } from "../engine.ts";
import { FleetError } from "../errors.ts";
import { leasesOn } from "../leases.ts";
import { natsCalls } from "./calls.ts";
import type { NatsContext } from "./context.ts";
import { natsHealth } from "./health.ts";
import { natsLog } from "./log.ts";
import { type NatsBucket, natsNames } from "./names.ts";
import type { NatsCredentials, NatsOptions, NatsTls } from "./options.ts";
import { loadNatsPackages, type NatsPackages } from "./packages.ts";
import { MAX_AGE_MS, openBucket, setUpStreams } from "./setup.ts";
import { natsTable } from "./table.ts";
import { natsValues } from "./values.ts";
import { natsQueue } from "./work.ts";

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
  const limits = { ...DEFAULT_ENGINE_LIMITS, ...definedFields(options.limits) };
  const prefix = checkedPrefix(options.prefix ?? "dr");
  try {
    const { jetstream, jetstreamManager } = packages.jetstream;
    const context: NatsContext = {
      packages,
      connection,
      streams: jetstream(connection, { timeout: API_MS }),
      manager: await jetstreamManager(connection, { timeout: API_MS, checkAPI: false }),
      names: natsNames(prefix),
      limits,
      closed: end.signal,
    };
    return await assemble(context, options, end);
  } catch (error) {
    end.abort();
    await connection.close();
    throw error;
  }
}

async function assemble(
  context: NatsContext,
  options: NatsOptions,
  end: AbortController,
): Promise<FleetEngine> {
  const { connection, limits } = context;
  const storage = options.setup === false ? undefined : (options.storage ?? {});
  if (storage) await setUpStreams(context, storage);
  const table = async (bucket: NatsBucket, ttlMs?: number) =>
    natsTable(context, bucket, await openBucket(context, bucket, ttlMs, storage));
  const leases = await table("lease", limits.leaseMs);
  const values = natsValues(context);
  return {
    limits,
    log: natsLog(context, values),
    leases: leasesOn(leases, limits.leaseMs),
    calls: natsCalls(context, values),
    work: natsQueue(context, values),
    hosts: await table("host", limits.hostMs),
    sessions: await table("session"),
    jobs: await table("job", storage?.maxAgeMs ?? MAX_AGE_MS),
    values,
    health: () => quietly(() => natsHealth(context)),
    close: () =>
      quietly(async () => {
        end.abort();
        await connection.close();
      }),
  };
}

/** Prefixes become parts of names of streams and subjects. */
const PREFIX = /^[A-Za-z][A-Za-z0-9-]*$/;

function checkedPrefix(prefix: string): string {
  if (PREFIX.test(prefix)) return prefix;
  const message = `the prefix ${JSON.stringify(prefix)} is not valid: use letters, digits and "-"`;
  throw new FleetError("invalid", message);
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
    throw new FleetError("cannot_connect", message, { cause });
  }
}

/** An address may have a user and a password, which errors must not show. */
function withoutPassword(server: string): string {
  return server.replace(/[^/@]*@/, "");
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

function tlsOptions(tls: NatsTls): NonNullable<NodeConnectionOptions["tls"]> {
  return { ...definedFields({ caFile: tls.caFile, certFile: tls.certFile, keyFile: tls.keyFile }) };
}

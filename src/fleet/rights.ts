import { quietly } from "../wire/index.ts";
import { natsNames } from "./nats/names.ts";
import { loadNatsPackages } from "./nats/packages.ts";

/** The processes of a fleet, by what they may do on the servers. */
export const FLEET_ROLES = ["admin", "worker", "gateway", "jobs", "status"] as const;

/**
 * A process of a fleet: `admin` creates the streams, `worker` runs sessions, `gateway` serves clients, `jobs`
 * submits and follows jobs, and `status` only reads.
 */
export type FleetRole = (typeof FLEET_ROLES)[number];

/** The subjects that a role may use. */
export interface NatsRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Whether it may answer requests. */
  readonly mayRespond: boolean;
}

/** The first part of the subjects on which a role gets its answers. */
export function inboxOf(role: FleetRole): string {
  return `_INBOX_${role}`;
}

/** Pure: the rights of a role, for the streams and buckets that begin with a prefix. */
export function rightsOf(role: FleetRole, prefix = "dr"): NatsRights {
  const inbox = `${inboxOf(role)}.>`;
  if (role === "admin") {
    const all = ["$JS.API.>", `$KV.${prefix}_*.>`, `${prefix}.>`];
    return { publish: all, subscribe: [inbox], mayRespond: false };
  }
  const { events, values, work, buckets } = natsNames(prefix);
  const stores = [events, values, work, ...Object.values(buckets).map((name) => `KV_${name}`)];
  const reads = [
    // Opening a bucket asks whether the servers have JetStream.
    "$JS.API.INFO",
    ...stores.map((name) => `$JS.API.STREAM.INFO.${name}`),
    ...stores.filter((name) => name !== work).map((name) => `$JS.API.STREAM.MSG.GET.${name}`),
    `$JS.API.DIRECT.GET.${events}`,
    `$JS.API.DIRECT.GET.${events}.>`,
  ];
  const [event, value, jobs] = [`${prefix}.ev.*`, `${prefix}.val.*.*`, `${prefix}.work.*`];
  const calls = `${prefix}.host.*`;
  const record = (bucket: keyof typeof buckets): string => `$KV.${buckets[bucket]}.*`;
  switch (role) {
    case "worker":
      return {
        publish: [
          ...reads,
          event,
          value,
          ...(["lease", "host", "session", "job"] as const).map(record),
          `$JS.API.CONSUMER.CREATE.${work}.>`,
          `$JS.API.CONSUMER.DURABLE.CREATE.${work}.>`,
          `$JS.API.CONSUMER.INFO.${work}.*`,
          `$JS.API.CONSUMER.MSG.NEXT.${work}.*`,
          `$JS.ACK.${work}.>`,
          // A worker asks whether another one has its name.
          calls,
        ],
        subscribe: [inbox, calls, event, record("session")],
        mayRespond: true,
      };
    case "gateway":
      return {
        publish: [
          ...reads,
          value,
          jobs,
          calls,
          record("session"),
          record("job"),
          `$JS.API.STREAM.PURGE.${events}`,
        ],
        subscribe: [inbox, event, record("job")],
        mayRespond: false,
      };
    case "jobs":
      return {
        publish: [...reads, value, jobs, calls, record("job")],
        subscribe: [inbox, event, record("job")],
        mayRespond: false,
      };
    case "status":
      return { publish: reads, subscribe: [inbox], mayRespond: false };
  }
}

/** A user of the servers. */
export interface NatsUser {
  readonly role: FleetRole;
  /** The public key, which the servers know. */
  readonly key: string;
  /** The secret seed, which only the process has. */
  readonly seed: string;
}

/** Creates a user with a new key for each role. Rejects with FleetError `missing_package`. */
export function createNatsUsers(): Promise<readonly NatsUser[]> {
  return quietly(async () => {
    const { transport } = await loadNatsPackages();
    return FLEET_ROLES.map((role) => {
      const pair = transport.nkeys.createUser();
      const seed = new TextDecoder().decode(pair.getSeed());
      return { role, key: pair.getPublicKey(), seed };
    });
  });
}

/** The certificates of a server, as paths of PEM files. */
export interface NatsServerTls {
  readonly certFile: string;
  readonly keyFile: string;
  /** With authorities, clients need a certificate of their own. */
  readonly caFile: string | undefined;
}

/** Pure: the part of a configuration for `nats-server` that says who may do what. It has no secrets. */
export function natsRightsConfig(
  users: readonly Pick<NatsUser, "role" | "key">[],
  tls: NatsServerTls | undefined,
): string {
  const entries = users.map(({ role, key }) => {
    const { publish, subscribe, mayRespond } = rightsOf(role);
    const respond = mayRespond ? '\n        allow_responses: { max: 1, expires: "5m" }' : "";
    return `    # ${role}
    {
      nkey: ${key}
      permissions: {
        publish: ${list(publish)}
        subscribe: ${list(subscribe)}${respond}
      }
    }`;
  });
  return `# Written by dragoman fleet config. Include it in the configuration of every server.
authorization {
  users: [
${entries.join("\n")}
  ]
}
${tlsConfig(tls)}`;
}

function tlsConfig(tls: NatsServerTls | undefined): string {
  if (!tls) return "";
  const { certFile, keyFile, caFile } = tls;
  const ca = caFile === undefined ? "" : `\n  ca_file: ${JSON.stringify(caFile)}\n  verify: true`;
  return `tls {\n  cert_file: ${JSON.stringify(certFile)}\n  key_file: ${JSON.stringify(keyFile)}${ca}\n}\n`;
}

function list(subjects: readonly string[]): string {
  return `[\n${subjects.map((subject) => `          ${JSON.stringify(subject)}`).join(",\n")}\n        ]`;
}

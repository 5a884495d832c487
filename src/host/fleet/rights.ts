import { quietly } from "../../base/index.ts";
import { natsNames, token } from "./nats/names.ts";
import { loadNatsPackages } from "./nats/packages.ts";

/** The processes of a fleet, by what they may do on the servers. */
export const FLEET_ROLES = ["admin", "worker", "gateway", "jobs", "status"] as const;

/**
 * A process of a fleet: `admin` creates the streams, `worker` runs sessions, `gateway` serves clients, `jobs`
 * submits and follows jobs, and `status` only reads.
 */
type FleetRole = (typeof FLEET_ROLES)[number];

/** A user of the servers, by the rights that it has. */
export interface FleetUser {
  readonly role: FleetRole;
  /** The only host that a worker may be; undefined for any. */
  readonly host?: string | undefined;
}

interface NatsRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  readonly mayRespond: boolean;
}

/** Pure: the first part of the subjects on which a process gets its answers. */
export function inboxOf({ role, host }: FleetUser): string {
  return host === undefined ? `_INBOX_${role}` : `_INBOX_${role}.${token(host)}`;
}

/**
 * Pure: the rights of a user, for the streams and buckets that begin with a prefix. A worker of one host
 * answers and reports only under its own name, and cannot read the answers to other workers.
 */
function rightsOf(user: FleetUser, prefix = "dr"): NatsRights {
  const { role, host } = user;
  const inbox = `${inboxOf(user)}.>`;
  if (role === "admin") {
    const all = ["$JS.API.>", `$KV.${prefix}_*.>`, `${prefix}.>`];
    return { publish: all, subscribe: [inbox], mayRespond: false };
  }
  const { events, work, buckets, streams, subjects } = natsNames(prefix);
  const reads = [
    // Opening a bucket asks whether the servers have JetStream.
    "$JS.API.INFO",
    ...streams.map((name) => `$JS.API.STREAM.INFO.${name}`),
    ...streams.filter((name) => name !== work).map((name) => `$JS.API.STREAM.MSG.GET.${name}`),
    `$JS.API.DIRECT.GET.${events}`,
    `$JS.API.DIRECT.GET.${events}.>`,
  ];
  const { events: event, values: value, work: jobs } = subjects;
  const name = host === undefined ? "*" : token(host);
  const calls = `${prefix}.host.${name}`;
  const record = (bucket: keyof typeof buckets): string => `$KV.${buckets[bucket]}.*`;
  switch (role) {
    case "worker":
      return {
        publish: [
          ...reads,
          event,
          value,
          ...(["lease", "session", "job"] as const).map(record),
          `$KV.${buckets.host}.${name}`,
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
      return { publish: reads, subscribe: [inbox, event], mayRespond: false };
  }
}

/** A user of the servers that has a key. */
export interface NatsUser extends FleetUser {
  /** The public key, which the servers know. */
  readonly key: string;
}

/** A user together with its secret. */
export interface NewNatsUser extends NatsUser {
  /** The secret seed, which only the process has. */
  readonly seed: string;
}

/** Gives each user a new key. Rejects with FleetError `missing_package`. */
export function createNatsUsers(users: readonly FleetUser[]): Promise<readonly NewNatsUser[]> {
  return quietly(async () => {
    const { transport } = await loadNatsPackages();
    return users.map((user) => {
      const pair = transport.nkeys.createUser();
      const seed = new TextDecoder().decode(pair.getSeed());
      return { ...user, key: pair.getPublicKey(), seed };
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
  users: readonly NatsUser[],
  tls: NatsServerTls | undefined,
): string {
  const entries = users.map((user) => {
    const { publish, subscribe, mayRespond } = rightsOf(user);
    const respond = mayRespond ? '\n        allow_responses: { max: 1, expires: "5m" }' : "";
    return `    # ${nameOf(user)}
    {
      nkey: ${user.key}
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

/** A name for a comment, which must stay on its line. */
function nameOf({ role, host }: FleetUser): string {
  return host === undefined ? role : `${role} ${JSON.stringify(host)}`;
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

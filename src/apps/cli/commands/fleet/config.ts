import { FLEET_OPTIONS } from "./declaration.ts";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  createNatsUsers,
  FLEET_ROLES,
  type FleetUser,
  natsRightsConfig,
  type NatsServerTls,
  type NatsUser,
} from "../../../../host/fleet/index.ts";
import {
  writeAtomically,
  hasCode,
  messageOf,
  asObject,
  objectField,
  objectsField,
  parseJsonObject,
  stringField,
} from "../../../../base/index.ts";
import { usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import type { Values } from "../../shell/parse.ts";
import type { Context } from "../../context/context.ts";
import { fleetFailure, natsTls } from "../../fleet/nats.ts";
import { MIB, readGivenFile } from "../../shell/regular-file.ts";

const SERVER_CONFIG = `# Written by dragoman fleet config, for a single server:
#   nats-server -c nats.conf
# The servers of a cluster also need a "cluster" block. docs/fleet.md has an example.
listen: "127.0.0.1:4222"
jetstream { store_dir: "./data" }
include "rights.conf"
`;

/**
 * `dragoman fleet config`: a configuration for the servers, and a secret for each role. With `--worker`, each
 * of these workers has a secret of its own; in a folder of an earlier call, they are added to it.
 */
export async function writeFleetConfig({ io, values, renderer }: Context): Promise<void> {
  const given = values.with(FLEET_OPTIONS).text("out");
  if (given === undefined) throw usageError("fleet config needs a folder", "--out DIR");
  const folder = resolve(io.cwd, given);
  const tls = serverTls(values, io);
  const hosts = [...new Set(values.with(FLEET_OPTIONS).list("worker"))];
  const isNew = await makeFolder(folder, given);
  if (!isNew && hosts.length === 0) {
    throw usageError(`${given} exists`, "--worker NAME, to add a worker to it");
  }
  if (!isNew && tls) throw usageError("--nats-cert, --nats-key and --nats-ca need a new folder");
  const before = isNew ? { users: [], tls } : await readUsers(folder, given);
  const wanted = isNew ? newUsers(hosts) : hosts.map(workerOf);
  const known = wanted.find((user) => before.users.some((other) => isSame(user, other)));
  if (known) throw usageError(`${given} has the worker ${known.host} already`);
  const created = await createNatsUsers(wanted).catch((error: unknown) => {
    throw fleetFailure(error);
  });
  const users = [...before.users, ...created.map(({ seed: _seed, ...user }) => user)];
  try {
    for (const user of created) {
      await writeAtomically(join(folder, seedFile(user)), `${user.seed}\n`);
    }
    await writeAtomically(join(folder, "rights.conf"), natsRightsConfig(users, before.tls));
    await writeAtomically(join(folder, USERS_FILE), writeUsers({ users, tls: before.tls }));
    if (isNew) await writeAtomically(join(folder, "nats.conf"), SERVER_CONFIG);
  } catch (error) {
    throw cannotWrite(given, error);
  }
  const files = created.map(seedFile).join(", ");
  renderer.note(`wrote rights.conf and the secrets ${files} to ${given}`);
  if (!before.tls) {
    renderer.note("without --nats-cert and --nats-key, connections are not encrypted");
  }
}

/** Creates the folder. Resolves with false if there is one: it may have the secrets of a running fleet. */
async function makeFolder(folder: string, given: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw cannotWrite(given, error);
  }
}

function cannotWrite(given: string, error: unknown): Error {
  return usageError(`could not write to --out ${given}: ${messageOf(error)}`);
}

/** Pure: a user for each role. Named workers have one each, in place of one for all. */
function newUsers(hosts: readonly string[]): readonly FleetUser[] {
  return FLEET_ROLES.flatMap((role): readonly FleetUser[] =>
    role === "worker" && hosts.length > 0 ? hosts.map(workerOf) : [{ role }],
  );
}

function workerOf(host: string): FleetUser {
  return { role: "worker", host };
}

function isSame(one: FleetUser, other: FleetUser): boolean {
  return one.role === other.role && one.host === other.host;
}

/** Pure: the file of a user's secret. The name of a worker may hold anything. */
function seedFile({ role, host }: FleetUser): string {
  return `${host === undefined ? role : `${role}-${encodeURIComponent(host)}`}.nk`;
}

function serverTls(values: Values, io: Io): NatsServerTls | undefined {
  const { caFile, certFile, keyFile } = natsTls(values, io) ?? {};
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile, caFile };
  if (caFile !== undefined) throw usageError("TLS needs --nats-cert and --nats-key");
  return undefined;
}

/** The public keys of the users in `rights.conf`, so that workers can be added. It has no secrets. */
const USERS_FILE = "users.json";

interface FleetUsers {
  readonly users: readonly NatsUser[];
  readonly tls: NatsServerTls | undefined;
}

function writeUsers({ users, tls }: FleetUsers): string {
  return `${JSON.stringify({ version: 1, tls, users }, undefined, 2)}\n`;
}

async function readUsers(folder: string, given: string): Promise<FleetUsers> {
  const name = join(given, USERS_FILE);
  const bytes = await readGivenFile(join(folder, USERS_FILE), name, { maxBytes: MIB });
  const raw = asObject(parseJsonObject(bytes.toString("utf8")));
  if (raw["version"] !== 1) throw usageError(`${name} is not a file of dragoman fleet config`);
  const tls = objectField(raw, "tls");
  const [certFile, keyFile] = [
    tls && stringField(tls, "certFile"),
    tls && stringField(tls, "keyFile"),
  ];
  return {
    users: objectsField(raw, "users").map((user): NatsUser => {
      const role = FLEET_ROLES.find((known) => known === user["role"]);
      const key = stringField(user, "key");
      if (role === undefined || key === undefined) {
        throw usageError(`${name} has a user without a role or a key`);
      }
      return { role, host: stringField(user, "host"), key };
    }),
    tls:
      certFile === undefined || keyFile === undefined
        ? undefined
        : { certFile, keyFile, caFile: tls && stringField(tls, "caFile") },
  };
}

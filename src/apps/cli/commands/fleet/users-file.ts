import { join } from "node:path";
import { FLEET_ROLES, type NatsServerTls, type NatsUser } from "../../../../host/fleet/index.ts";
import {
  asObject,
  objectField,
  objectsField,
  parseFrame,
  stringField,
} from "../../../../base/index.ts";
import { usageError } from "../../shell/exit.ts";
import { MIB, readGivenFile } from "../../shell/regular-file.ts";

/** The public keys of the users in `rights.conf`, so that workers can be added. It has no secrets. */
export const USERS_FILE = "users.json";

/** Everything that `rights.conf` is written from. */
export interface FleetUsers {
  readonly users: readonly NatsUser[];
  readonly tls: NatsServerTls | undefined;
}

/** Pure: the users as text. */
export function writeUsers({ users, tls }: FleetUsers): string {
  return `${JSON.stringify({ version: 1, tls, users }, undefined, 2)}\n`;
}

/** Reads the users of a folder. Throws a usage error. */
export async function readUsers(folder: string, given: string): Promise<FleetUsers> {
  const name = join(given, USERS_FILE);
  const bytes = await readGivenFile(join(folder, USERS_FILE), name, { maxBytes: MIB });
  const raw = asObject(parseFrame(bytes.toString("utf8")));
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

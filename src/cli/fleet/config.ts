import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createNatsUsers, natsRightsConfig, type NatsServerTls } from "../../fleet/index.ts";
import { writeAtomically } from "../../wire/index.ts";
import { usageError } from "../exit.ts";
import { messageOf } from "../io.ts";
import type { Context } from "../run/context.ts";
import { connectFleet, fleetFailure } from "./nats.ts";

const SERVER_CONFIG = `# Written by dragoman fleet config, for a single server:
#   nats-server -c nats.conf
# The servers of a cluster also need a "cluster" block. docs/fleet.md has an example.
listen: "127.0.0.1:4222"
jetstream { store_dir: "./data" }
include "rights.conf"
`;

/** `dragoman fleet setup`: connecting creates the streams and buckets that are missing. */
export async function setUpFleet(context: Context): Promise<void> {
  const engine = await connectFleet(context, "admin");
  await engine.close();
  context.renderer.note("the streams and buckets of the fleet are there");
}

/** `dragoman fleet config`: a configuration for the servers, and a secret for each role. */
export async function writeFleetConfig({ io, values, renderer }: Context): Promise<void> {
  const given = values.text("out");
  if (given === undefined) throw usageError("fleet config needs a folder", "--out DIR");
  const folder = resolve(io.cwd, given);
  const tls = serverTls((name) => values.text(name), io.cwd);
  const users = await createNatsUsers().catch((error: unknown) => {
    throw fleetFailure(error);
  });
  try {
    // A folder that exists may have the secrets of a running fleet.
    await mkdir(folder, { mode: 0o700 });
    await writeAtomically(join(folder, "rights.conf"), natsRightsConfig(users, tls));
    await writeAtomically(join(folder, "nats.conf"), SERVER_CONFIG);
    for (const { role, seed } of users) {
      await writeAtomically(join(folder, `${role}.nk`), `${seed}\n`);
    }
  } catch (error) {
    throw usageError(`could not write to --out ${given}: ${messageOf(error)}`);
  }
  renderer.note(`wrote nats.conf, rights.conf and a secret for each role to ${given}`);
  if (!tls) renderer.note("without --nats-cert and --nats-key, connections are not encrypted");
}

/** The certificates that the servers use. */
function serverTls(
  text: (name: "nats-cert" | "nats-key" | "nats-ca") => string | undefined,
  cwd: string,
): NatsServerTls | undefined {
  const [cert, key, ca] = [text("nats-cert"), text("nats-key"), text("nats-ca")];
  if (cert === undefined && key === undefined && ca === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw usageError("TLS needs --nats-cert and --nats-key");
  }
  return {
    certFile: resolve(cwd, cert),
    keyFile: resolve(cwd, key),
    caFile: ca === undefined ? undefined : resolve(cwd, ca),
  };
}

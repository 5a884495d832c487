import { resolve } from "node:path";
import {
  connectNats,
  type FleetEngine,
  FleetError,
  type FleetUser,
  inboxOf,
  type NatsCredentials,
} from "../../../host/fleet/index.ts";
import type { Values } from "../shell/parse.ts";
import { CliError, usageError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { MIB, readGivenFile } from "../shell/regular-file.ts";
import type { Context } from "../context/context.ts";
import { expectPrivateFile } from "../shell/secret-file.ts";

export function poolOf(values: Values): string {
  return values.text("pool") ?? "main";
}

/**
 * Connects to the servers of `--nats`. Throws a usage error if the packages are missing, and a CliError if
 * the servers do not answer.
 */
export async function connectFleet(
  { values, io }: Pick<Context, "values" | "io">,
  user: FleetUser,
): Promise<FleetEngine> {
  const servers = values.list("nats");
  if (servers.length === 0) {
    throw usageError("--nats is missing", "--nats nats://127.0.0.1:4222");
  }
  const credentials = await credentialsOf(values, io);
  try {
    return await connectNats({
      servers,
      name: ["dragoman", user.role, user.host ?? ""].join(" ").trimEnd(),
      credentials,
      tls: natsTls(values, io),
      inboxPrefix: inboxOf(user),
    });
  } catch (error) {
    throw fleetFailure(error);
  }
}

/** Connects, does the work, and closes. Throws what `connectFleet` throws, and a CliError for an error of the fleet. */
export async function withFleet<T>(
  context: Pick<Context, "values" | "io">,
  user: FleetUser,
  work: (engine: FleetEngine) => Promise<T>,
): Promise<T> {
  const engine = await connectFleet(context, user);
  try {
    return await work(engine);
  } catch (error) {
    throw fleetFailure(error);
  } finally {
    await engine.close();
  }
}

/** An error of a fleet as an exit code. Other errors stay as they are. */
export function fleetFailure(error: unknown): unknown {
  if (!(error instanceof FleetError)) return error;
  const { code, message: what } = error;
  switch (code) {
    case "not_installed":
    case "invalid_argument":
    case "not_found":
    case "session_not_found":
      return new CliError("usage", { what }, { cause: error });
    default:
      return new CliError("agentError", { what }, { cause: error });
  }
}

const SEED = /^SU[A-Z2-7]{56}$/;

/** The file of `--nats-credentials`: the seed of an NKey alone, or a file of nsc. */
async function credentialsOf(values: Values, io: Io): Promise<NatsCredentials | undefined> {
  const given = values.text("nats-credentials");
  if (given === undefined) return undefined;
  const path = resolve(io.cwd, given);
  const options = { maxBytes: MIB, what: "credentials file", check: expectPrivateFile };
  const bytes = await readGivenFile(path, given, options);
  const isSeed = SEED.test(bytes.toString("utf8").trim());
  return { kind: isSeed ? "nkey" : "file", path };
}

/** The files of `--nats-ca`, `--nats-cert` and `--nats-key`. Throws a usage error. */
export function natsTls(values: Values, io: Io) {
  const file = (name: "nats-ca" | "nats-cert" | "nats-key"): string | undefined => {
    const given = values.text(name);
    return given === undefined ? undefined : resolve(io.cwd, given);
  };
  const [caFile, certFile, keyFile] = [file("nats-ca"), file("nats-cert"), file("nats-key")];
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw usageError("--nats-cert and --nats-key need each other");
  }
  return caFile === undefined && certFile === undefined ? undefined : { caFile, certFile, keyFile };
}

import type * as jetstreamPackage from "@nats-io/jetstream";
import type * as kvPackage from "@nats-io/kv";
import type * as transportPackage from "@nats-io/transport-node";
import { FleetError } from "../errors.ts";

/** The packages of NATS, which only a fleet on NATS needs. */
export interface NatsPackages {
  readonly transport: typeof transportPackage;
  readonly jetstream: typeof jetstreamPackage;
  readonly kv: typeof kvPackage;
}

/** The command that installs the packages. */
export const NATS_INSTALL =
  "npm install @nats-io/transport-node@3 @nats-io/jetstream@3 @nats-io/kv@3";

/** Loads the packages. Rejects with FleetError `missing_package` if one is not installed. */
export async function loadNatsPackages(
  load: () => Promise<NatsPackages> = importAll,
): Promise<NatsPackages> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    const message = `a fleet on NATS needs packages that are not installed: ${NATS_INSTALL}`;
    throw new FleetError("missing_package", message, { cause });
  }
}

async function importAll(): Promise<NatsPackages> {
  const [transport, jetstream, kv] = await Promise.all([
    import("@nats-io/transport-node"),
    import("@nats-io/jetstream"),
    import("@nats-io/kv"),
  ]);
  return { transport, jetstream, kv };
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}

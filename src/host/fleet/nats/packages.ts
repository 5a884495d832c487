import type * as jetstreamPackage from "@nats-io/jetstream";
import type * as kvPackage from "@nats-io/kv";
import type * as transportPackage from "@nats-io/transport-node";
import { toError } from "../../../base/index.ts";
import { FleetError } from "../errors.ts";

/** The packages of NATS, which only a fleet on NATS needs. */
export interface NatsPackages {
  readonly transport: typeof transportPackage;
  readonly jetstream: typeof jetstreamPackage;
  readonly kv: typeof kvPackage;
}

const NATS_INSTALL = "npm install @nats-io/transport-node@3 @nats-io/jetstream@3 @nats-io/kv@3";

/** Loads the packages. Bundlers accept imports inside a `try`. Rejects with `missing_package`. */
export async function loadNatsPackages(): Promise<NatsPackages> {
  try {
    const transport = await import("@nats-io/transport-node");
    const jetstream = await import("@nats-io/jetstream");
    const kv = await import("@nats-io/kv");
    return { transport, jetstream, kv };
  } catch (error) {
    throw packageError(error);
  }
}

export function packageError(cause: unknown): Error {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const isMissing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
  if (!isMissing) return toError(cause);
  const message = `a fleet on NATS needs packages that are not installed: ${NATS_INSTALL}`;
  return new FleetError("not_installed", message, { cause });
}

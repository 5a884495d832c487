import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { toError, pause } from "../../../base/index.ts";
import type { EngineLimits } from "../engine.ts";
import { closedError, FleetError } from "../errors.ts";
import type { NatsNames } from "./names.ts";
import type { NatsPackages } from "./packages.ts";

/** One connection to the servers, and everything that its parts share. */
export interface NatsContext {
  readonly packages: NatsPackages;
  readonly connection: NatsConnection;
  readonly streams: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly names: NatsNames;
  readonly limits: EngineLimits;
  readonly closed: AbortSignal;
}

/** How long one attempt waits for the servers. An election takes longer; then the next attempt counts. */
export const ATTEMPT_MS = 2000;

/** The time between two attempts. Servers refuse at once during an election. */
const PAUSE_MS = 100;

/** Repeats an attempt within the retry budget, unless it fails with a FleetError. Rejects with FleetError. */
export async function retried<T>(
  { limits, closed, packages }: Pick<NatsContext, "limits" | "closed" | "packages">,
  what: string,
  attempt: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + limits.retryMs;
  for (;;) {
    if (closed.aborted) throw closedError("the engine");
    let cause: Error;
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof FleetError) throw error;
      cause = toError(error);
    }
    const { PermissionViolationError } = packages.transport;
    if ([cause, cause.cause].some((one) => one instanceof PermissionViolationError)) {
      throw new FleetError("not_allowed", `could not ${what}: ${cause.message}`, { cause });
    }
    if (performance.now() >= until) {
      const message = `could not ${what} within ${limits.retryMs} ms: ${cause.message}`;
      throw new FleetError("unavailable", message, { cause });
    }
    await pause(PAUSE_MS, closed);
  }
}

import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { EngineLimits } from "../engine.ts";
import { closedError, FleetError } from "../errors.ts";
import { toError } from "../../../base/index.ts";
import { pause } from "../pause.ts";
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
  /** Aborted when the engine is closed. */
  readonly closed: AbortSignal;
}

/** How long one attempt waits for the servers. An election takes longer; then the next attempt counts. */
export const ATTEMPT_MS = 2000;

/**
 * The time between two attempts. During an election the servers refuse at once, and a shorter time would
 * only burn their processors.
 */
const PAUSE_MS = 100;

/** The result of one attempt: a value, or undefined to try again. */
export type AttemptResult<T> = { readonly value: T } | undefined;

/**
 * Repeats an attempt until it has a result, within the retry budget. A FleetError ends it at once; every
 * other failure counts as the servers being away. Rejects with FleetError `unavailable` or `not_allowed`.
 */
export async function retried<T>(
  { limits, closed, packages }: Pick<NatsContext, "limits" | "closed" | "packages">,
  what: string,
  attempt: () => Promise<AttemptResult<T>>,
): Promise<T> {
  const until = performance.now() + limits.retryMs;
  let last: Error | undefined;
  for (;;) {
    if (closed.aborted) throw closedError("the engine");
    try {
      const result = await attempt();
      if (result) return result.value;
    } catch (error) {
      if (error instanceof FleetError) throw error;
      last = toError(error);
      const { PermissionViolationError } = packages.transport;
      const isRefused = [last, last.cause].some((one) => one instanceof PermissionViolationError);
      if (isRefused) {
        throw new FleetError("not_allowed", `could not ${what}: ${last.message}`, { cause: last });
      }
    }
    if (performance.now() >= until) {
      const why = last ? `: ${last.message}` : "";
      throw new FleetError("unavailable", `could not ${what} within ${limits.retryMs} ms${why}`, {
        cause: last,
      });
    }
    await pause(PAUSE_MS, closed);
  }
}

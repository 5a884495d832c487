import { type Hub, type HubOptions, translatedClient } from "../../hub/index.ts";
import { callSafely, deferred, quietly, within } from "../../wire/index.ts";
import type { FleetEngine } from "../engine.ts";
import { GatewayClient, type GatewayDeps } from "./client.ts";
import { PoolAgents } from "./initialize.ts";
import { followedInfo } from "./shown.ts";

/** Options of {@link gatewayHub}. */
export interface GatewayOptions {
  /** The engine of the fleet. The gateway does not close it. */
  readonly engine: FleetEngine;
  /** The pool whose workers run new sessions. */
  readonly pool: string;
}

/**
 * A hub whose agents run on the workers of a fleet. Several gateways can serve the same sessions. The
 * options that host agents have no effect.
 */
export function gatewayHub({ engine, pool }: GatewayOptions, options: HubOptions = {}): Hub {
  const clients = new Set<GatewayClient>();
  let isDraining = false;
  let settled = (): void => {};
  const deps: GatewayDeps = {
    engine,
    pool,
    agents: new PoolAgents(engine, pool),
    options,
    isDraining: () => isDraining,
    emit: (event) => callSafely(() => options.onEvent?.(event)),
    settled: () => settled(),
  };
  const close = async (): Promise<void> => {
    isDraining = true;
    await Promise.all([...clients].map((client) => client.close()));
  };
  return {
    agents: [],
    get sessions() {
      return [...clients].flatMap((client) =>
        client.sessions.map(([sessionId, { isBusy, role }]) =>
          followedInfo(
            {
              sessionId,
              agent: "",
              owner: client.owner,
              cwd: "/",
              additionalDirectories: [],
              isBusy,
              usedAt: 0,
            },
            role,
          ),
        ),
      );
    },
    serve(channel, client) {
      // Logs have the updates of version 1.
      const served = new GatewayClient(deps, translatedClient(channel, 1), client);
      clients.add(served);
      void served.closed.then(() => {
        clients.delete(served);
        settled();
      });
      return served;
    },
    drain: (ms) =>
      quietly(async () => {
        isDraining = true;
        const idle = deferred();
        settled = () => {
          if ([...clients].every(({ running }) => running === 0)) idle.resolve();
        };
        settled();
        await within(idle.promise, ms);
        await close();
      }),
    close: () => quietly(close),
  };
}

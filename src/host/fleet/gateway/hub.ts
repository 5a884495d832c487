import {
  ClientPort,
  type Hub,
  hubLimits,
  type HubOptions,
  ServedClient,
  translatedClient,
} from "../../hub/index.ts";
import { callSafely, deferred, quietly, within } from "../../../base/index.ts";
import type { FleetEngine } from "../engine.ts";
import { PoolAgents, followedInfo } from "./shown.ts";
import { FleetSessions, type GatewayDeps, type GatewaySession } from "./sessions.ts";

/** Options of {@link gatewayHub}. */
export interface GatewayOptions {
  /** The engine of the fleet. The gateway does not close it. */
  readonly engine: FleetEngine;
  /** The pool whose workers run new sessions. */
  readonly pool: string;
}

/** A hub on the workers of a fleet. The options that host agents have no effect. */
export function gatewayHub({ engine, pool }: GatewayOptions, options: HubOptions = {}): Hub {
  const clients = new Map<ServedClient, FleetSessions>();
  const { maxUnsentBytes: unsentLimit } = hubLimits(options.limits);
  let isDraining = false;
  let lastClient = 0;
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
    await Promise.all([...clients.keys()].map((client) => client.close()));
  };
  return {
    [Symbol.asyncDispose]: close,
    agents: [],
    get sessions() {
      return [...clients].flatMap(([{ owner }, { attached }]) =>
        [...attached].map(([sessionId, { isBusy, role }]) =>
          followedInfo({ sessionId, agent: "", owner, cwd: "/", isBusy }, role),
        ),
      );
    },
    serve(channel, client) {
      const router = (served: ServedClient): ClientPort<GatewaySession> =>
        new ClientPort<GatewaySession>(served, deps, (port) => {
          const sessions = new FleetSessions(port, deps);
          clients.set(served, sessions);
          return sessions;
        });
      // Logs have the updates of version 1.
      const translated = translatedClient(channel, 1);
      const served = new ServedClient(translated, ++lastClient, client, { unsentLimit, router });
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
          const isBusy = [...clients.values()].some((sessions) => sessions.isBusy);
          if (!isBusy) idle.resolve();
        };
        settled();
        await within(idle.promise, ms);
        await close();
      }),
    close: () => quietly(close),
  };
}

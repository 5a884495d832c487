import type { StoreHealth } from "../engine.ts";
import { type NatsContext, retried } from "./context.ts";

/** The streams of a fleet, with their replicas. Rejects with FleetError `unavailable`. */
export async function natsHealth(context: NatsContext): Promise<readonly StoreHealth[]> {
  const { manager, names } = context;
  const { events, values, work, buckets } = names;
  const streams = [events, values, work, ...Object.values(buckets).map((name) => `KV_${name}`)];
  return Promise.all(
    streams.map((name) =>
      retried(context, `read the state of ${name}`, async () => {
        const { state, cluster } = await manager.streams.info(name);
        const replicas = (cluster?.replicas ?? []).map((replica) => ({
          server: replica.name,
          isCurrent: replica.current && !replica.offline,
          lag: replica.lag ?? 0,
        }));
        const { messages: entries, bytes } = state;
        return { value: { name, entries, bytes, leader: cluster?.leader, replicas } };
      }),
    ),
  );
}

import { messageOf } from "../../../../base/index.ts";
import { type FleetEngine, sessionRecording } from "../../../../host/fleet/index.ts";
import { lossOf, SessionReader } from "../../../../trace/index.ts";
import { usageError } from "../../shell/exit.ts";
import { connectFleet, fleetFailure } from "../../fleet/nats.ts";
import type { Context } from "../../context/context.ts";
import type { SessionSink, SessionSource, SessionSources } from "./sources.ts";

/** A log has the parts of messages, and only those decisions that a client made. */
const LOSSES = [lossOf("raw"), lossOf("stderr"), lossOf("decisions")];

/** The sessions of the fleet of `--nats`. Throws a CliError if it cannot be reached. */
export async function fleetSources(context: Context): Promise<SessionSources> {
  const engine = await connectFleet(context, { role: "status" });
  return {
    losses: LOSSES,
    titles: (names) => names,
    open: (name, sink) => loggedSession(engine, name, sink),
    close: () => engine.close(),
  };
}

/** A session whose log is read from the servers. No worker has to run. */
function loggedSession(engine: FleetEngine, name: string, sink: SessionSink): SessionSource {
  const reader = new SessionReader(sink);
  const readLog = async (options: { readonly follow: boolean; readonly signal?: AbortSignal }) => {
    // The sink removes the secrets, because it counts them.
    const recording = sessionRecording(engine, name, { ...options, keepSecrets: true });
    for await (const line of recording) reader.push(`${line}\n`);
  };
  return {
    name,
    read: async () => {
      await readLog({ follow: false }).catch((error: unknown) => {
        throw fleetFailure(error);
      });
      if (!reader.hasLineFormat) throw usageError(`the log of ${name} is empty`);
      sink.ended(reader.end());
    },
    // An unknown session is reported. One with an empty log may grow.
    readFirst: async () => {
      const lines = sessionRecording(engine, name)[Symbol.asyncIterator]();
      try {
        await lines.next();
      } catch (error) {
        throw fleetFailure(error);
      } finally {
        await lines.return?.();
      }
    },
    follow: async (signal) => {
      try {
        await readLog({ follow: true, signal });
        return undefined;
      } catch (error) {
        if (reader.hasLineFormat) sink.ended(reader.end());
        return `${name} is not read anymore: ${messageOf(error)}`;
      }
    },
  };
}

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
    open: (name, sink) => new LoggedSession(engine, name, sink),
    close: () => engine.close(),
  };
}

/** A session whose log is read from the servers. No worker has to run. */
class LoggedSession implements SessionSource {
  readonly name: string;
  readonly #engine: FleetEngine;
  readonly #sink: SessionSink;
  readonly #reader: SessionReader;

  constructor(engine: FleetEngine, name: string, sink: SessionSink) {
    this.name = name;
    this.#engine = engine;
    this.#sink = sink;
    this.#reader = new SessionReader(sink);
  }

  async read(): Promise<void> {
    await this.#readLog({ follow: false }).catch((error: unknown) => {
      throw fleetFailure(error);
    });
    if (!this.#reader.hasLineFormat) throw usageError(`the log of ${this.name} is empty`);
    this.#sink.ended(this.#reader.end());
  }

  /** An unknown session is reported. One with an empty log may grow. */
  async readFirst(): Promise<void> {
    const lines = sessionRecording(this.#engine, this.name)[Symbol.asyncIterator]();
    try {
      await lines.next();
    } catch (error) {
      throw fleetFailure(error);
    } finally {
      await lines.return?.();
    }
  }

  async follow(signal: AbortSignal): Promise<string | undefined> {
    try {
      await this.#readLog({ follow: true, signal });
      return undefined;
    } catch (error) {
      if (this.#reader.hasLineFormat) this.#sink.ended(this.#reader.end());
      return `${this.name} is not read anymore: ${messageOf(error)}`;
    }
  }

  /** The sink removes the secrets, because it counts them. */
  async #readLog(options: { readonly follow: boolean; readonly signal?: AbortSignal }) {
    const recording = sessionRecording(this.#engine, this.name, { ...options, keepSecrets: true });
    for await (const line of recording) this.#reader.push(`${line}\n`);
  }
}

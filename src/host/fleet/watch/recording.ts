import {
  type AsyncStream,
  createRedactor,
  type JsonObject,
  quietIterator,
} from "../../../base/index.ts";
import { type Direction, RECORDING_VERSION } from "../../../transport/wire/index.ts";
import type { FleetEngine } from "../engine.ts";
import { readEntry, type FleetEntry } from "../session/entries.ts";
import { findSession, type FleetSession } from "../session/record.ts";

/** Options of {@link sessionRecording}. */
export interface SessionRecordingOptions {
  /** Whether to go on with entries as they are appended. Default: false. */
  readonly follow?: boolean | undefined;
  /** Ends the stream when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Keep secrets (env values, headers, tokens, keys). Default: false. */
  readonly keepSecrets?: boolean | undefined;
}

/**
 * The log of a session as a recording, line by line and without newlines, as the client of the agent would
 * have made it: for `dragoman inspect` and everything else that reads recordings. Each message has the time at
 * which it was stored. The log has neither `initialize` nor the agent's stderr. It does not ask whose session
 * it is. Rejects with FleetError `invalid` if the session is unknown.
 */
export function sessionRecording(
  engine: FleetEngine,
  session: string,
  options: SessionRecordingOptions = {},
): AsyncStream<string> {
  return quietIterator(record(engine, session, options));
}

async function* record(
  engine: FleetEngine,
  id: string,
  { follow, signal, keepSecrets = false }: SessionRecordingOptions,
): AsyncGenerator<string, undefined> {
  const session = await findSession(engine.sessions, id);
  const clean = keepSecrets ? (line: string): string => line : createRedactor().line;
  const frames = new LoggedFrames(session);
  let startedAt: number | undefined;
  let ms = 0;
  for await (const { at, text } of engine.log.read(id, { follow, signal })) {
    if (startedAt === undefined) {
      startedAt = at;
      yield JSON.stringify(header(session, at, keepSecrets));
    }
    // The clocks of servers differ, and times of a recording never go back.
    ms = Math.max(ms, at - startedAt);
    for (const recorded of frames.of(readEntry(text))) {
      if ("note" in recorded) yield JSON.stringify({ ms, event: "note", text: recorded.note });
      else {
        const { direction, frame } = recorded;
        const line = clean(JSON.stringify({ jsonrpc: "2.0", ...frame }));
        yield JSON.stringify({ ms, direction, line });
      }
    }
  }
  return undefined;
}

function header({ agent, cwd }: FleetSession, startedAt: number, keepSecrets: boolean): JsonObject {
  return {
    recording: "dragoman",
    version: RECORDING_VERSION,
    startedAt: new Date(startedAt).toISOString(),
    redacted: !keepSecrets,
    agent: { name: agent, command: [] },
    client: { name: "dragoman worker" },
    cwd,
  };
}

type Recorded =
  | { readonly direction: Direction; readonly frame: JsonObject }
  | { readonly note: string };

/** Translates entries into the messages that they stand for. */
class LoggedFrames {
  readonly #session: FleetSession;
  /** The prompts that were accepted and not sent to the agent. */
  readonly #waiting = new Map<string, readonly JsonObject[]>();
  #opened = 0;

  constructor(session: FleetSession) {
    this.#session = session;
  }

  of(entry: FleetEntry): readonly Recorded[] {
    const { id: sessionId } = this.#session;
    switch (entry.type) {
      case "takeover":
        return [{ note: `the worker ${entry.host} took the session over` }];
      case "opened":
        return this.#open(entry.method, entry.result);
      case "update":
        return [received({ method: "session/update", params: { sessionId, ...entry.params } })];
      case "notification":
        return [received({ method: entry.method, params: { sessionId, ...entry.params } })];
      case "prompt":
        this.#waiting.set(entry.id, entry.prompt);
        return [];
      case "turn_started": {
        const prompt = this.#waiting.get(entry.id) ?? [];
        this.#waiting.delete(entry.id);
        return [sent({ id: entry.id, method: "session/prompt", params: { sessionId, prompt } })];
      }
      case "turn_ended": {
        const { id, error, result } = entry;
        if (this.#waiting.delete(id)) return [{ note: `the prompt ${id} was not run` }];
        return [received({ id, ...(error ? { error: { ...error } } : { result }) })];
      }
      case "question": {
        const { id, method, params } = entry;
        return [received({ id, method, params: { sessionId, ...params } })];
      }
      case "question_closed": {
        const { id, result } = entry;
        return [sent({ id, ...(result ? { result } : { error: WITHDRAWN }) })];
      }
      case "unknown":
        return [{ note: "the log has an entry of a newer version here" }];
    }
  }

  #open(method: string, result: JsonObject): readonly Recorded[] {
    const { id: sessionId, cwd, additionalDirectories: more, mcpServers } = this.#session;
    const id = `open-${++this.#opened}`;
    const isNew = method === "session/new";
    const params = {
      ...(isNew ? {} : { sessionId }),
      cwd,
      mcpServers,
      ...(more.length > 0 ? { additionalDirectories: more } : {}),
    };
    return [
      sent({ id, method, params }),
      received({ id, result: isNew ? { sessionId, ...result } : result }),
    ];
  }
}

/** The answer to a question whose request was cancelled. */
const WITHDRAWN = { code: -32800, message: "The question was withdrawn" };

function sent(frame: JsonObject): Recorded {
  return { direction: "out", frame };
}

function received(frame: JsonObject): Recorded {
  return { direction: "in", frame };
}

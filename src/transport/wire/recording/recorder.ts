import {
  callSafely,
  definedFields,
  type ExitStatus,
  FinishedText,
  createRedactor,
  type Redactor,
} from "../../../base/index.ts";
import {
  RECORDING_VERSION,
  type RecordedAgent,
  type RecordedClient,
  type RecordedDecision,
  type RecordedEvent,
} from "./format.ts";
import type { Tap, TapEvent } from "./tap.ts";

/** Options of a recorder. */
export interface RecorderOptions {
  /** Keep secrets (env values, headers, tokens, keys) in the recording. Default: false. */
  readonly keepSecrets?: boolean | undefined;
  /** Values to redact wherever they appear, also inside JSON strings. Default: none. */
  readonly secrets?: readonly string[] | undefined;
  /** The agent, for the header. Secrets in its command are redacted. Default: not named. */
  readonly agent?: RecordedAgent | undefined;
  /** The client, for the header. Default: not named. */
  readonly client?: RecordedClient | undefined;
  /** The working directory, for the header. Default: not named. */
  readonly cwd?: string | undefined;
}

/** A tap that writes a recording, with methods for everything that is not a line on the wire. */
export interface Recorder {
  /** Writes one line. */
  (event: TapEvent): void;
  /**
   * Adds a piece of the agent's stderr. Finished lines are written at once, so that a secret that two
   * pieces share is recognized.
   */
  readonly stderr: (text: string) => void;
  /** Writes how the agent's process ended. */
  readonly exit: (status: ExitStatus) => void;
  /** Writes a decision about a request of the agent. */
  readonly permission: (decision: RecordedDecision) => void;
  /** Writes a remark. */
  readonly note: (text: string) => void;
  /** Writes the last line of stderr even if it is not finished. Call it before the file is closed. */
  readonly flush: () => void;
}

/**
 * Creates a tap that writes a header and then every line as JSON lines, with secrets redacted.
 *
 * `write` receives each line with its newline. The caller handles buffering, closing and write
 * errors: if `write` fails, the connection carries on.
 */
export function recorder(write: (text: string) => void, options: RecorderOptions = {}): Recorder {
  const clean = options.keepSecrets === true ? KEEP_ALL : createRedactor(options.secrets);
  const put = (value: object): void => callSafely(() => write(`${JSON.stringify(value)}\n`));
  const clock = new RecordingClock();
  const start = (at: number): void =>
    put({
      recording: "dragoman",
      version: RECORDING_VERSION,
      startedAt: new Date(at).toISOString(),
      redacted: options.keepSecrets !== true,
      ...headerFields(options, clean),
    });
  const entry = (fields: RecordedEventFields): void => {
    put({ ms: clock.take({ at: Date.now(), monotonic: performance.now() }, start), ...fields });
  };
  const stderr = new FinishedText((text) => entry({ event: "stderr", text: clean.text(text) }));
  const tap: Tap = (event) => {
    const ms = clock.take(event, start);
    put({ ms, direction: event.direction, line: clean.line(event.line) });
  };
  return Object.assign(tap, {
    stderr: (text: string) => stderr.push(text),
    exit: ({ code, signal }: ExitStatus) => {
      stderr.flush();
      entry({ event: "exit", code, signal });
    },
    permission: (decision: RecordedDecision) =>
      entry({ event: "permission", ...cleanDecision(decision, clean) }),
    note: (text: string) => entry({ event: "note", text: clean.text(text) }),
    flush: () => stderr.flush(),
  });
}

type WithoutTime<T> = T extends unknown ? Omit<T, "ms"> : never;
type RecordedEventFields = WithoutTime<RecordedEvent>;

const KEEP_ALL: Redactor = { line: (line) => line, text: (text) => text, value: (value) => value };

/** Puts times on the entries that never go back, whichever of the two clocks an entry has. */
class RecordingClock {
  #zero: { readonly at: number; readonly monotonic: number } | undefined;
  #last = 0;

  /** The milliseconds since the first entry. Calls `start` before that one. */
  take({ at, monotonic }: Pick<TapEvent, "at" | "monotonic">, start: (at: number) => void): number {
    if (this.#zero === undefined) {
      this.#zero = { at, monotonic: monotonic ?? performance.now() };
      start(at);
    }
    const ms = monotonic === undefined ? at - this.#zero.at : monotonic - this.#zero.monotonic;
    // Microseconds are enough, and keep the file small.
    this.#last = Math.max(this.#last, Math.round(ms * 1000) / 1000);
    return this.#last;
  }
}

function headerFields({ agent, client, cwd }: RecorderOptions, clean: Redactor): object {
  const cleanAgent = agent && clean.value({ name: agent.name, command: agent.command });
  return definedFields({ agent: cleanAgent, client, cwd });
}

/** The texts may quote a command line, so secrets are found by name as in free text. */
function cleanDecision(decision: RecordedDecision, { text }: Redactor): RecordedDecision {
  const { what, hint, question, description } = decision;
  return {
    ...decision,
    what: text(what),
    hint: hint && text(hint),
    question: question && text(question),
    description: description && text(description),
  };
}

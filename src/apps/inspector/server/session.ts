import { REDACTED, redactValue, immediately } from "../../../base/index.ts";
import {
  isRecordedLine,
  RECORDING_VERSION,
  type RecordingEntry,
  RecordingReader,
} from "../../../transport/wire/index.ts";
import type { PageSession } from "../export/page.ts";
import type { EntryRedactor } from "../export/recording.ts";
import {
  type ImportLoss,
  lossOf,
  type SessionEntry,
  type SessionHeader,
} from "../../../trace/index.ts";
import { RecordingLog, type RecordingLogOptions } from "./recording-log.ts";
import { type SessionFields, type Finding, SessionFindings } from "../findings.ts";
import { entryRedactor } from "../entry-redactor.ts";

export interface InspectedSessionOptions extends RecordingLogOptions {
  /** The name for people: of the file, the agent or the client. */
  readonly name: string;
  /** Whether secrets stay. Default: false. */
  readonly keepSecrets?: boolean | undefined;
}

/** A session that a server shows: its recording, which may still grow, and what the rules say about it. */
export class InspectedSession {
  readonly id: string;
  readonly name: string;
  readonly log: RecordingLog;
  readonly judge: LogJudge;
  /** Everything that the session lacks, apart from lines that the log left out. */
  losses: readonly ImportLoss[] = [];
  readonly #redactor: EntryRedactor | undefined;
  #header: SessionHeader | undefined;
  #hidden = 0;

  constructor(id: string, options: InspectedSessionOptions) {
    this.id = id;
    this.name = options.name;
    this.log = new RecordingLog(options);
    this.judge = new LogJudge(this.log);
    this.#redactor = options.keepSecrets === true ? undefined : entryRedactor();
  }

  get info(): PageSession & { readonly entries: number } {
    const { leftOut, isOpen, entries } = this.log;
    const { format = "dragoman", isTimed = true } = this.#header ?? {};
    return {
      id: this.id,
      name: this.name,
      live: isOpen,
      losses: leftOut === 0 ? this.losses : [...this.losses, lossOf("dropped", leftOut)],
      format,
      isTimed,
      redacted: this.#redactor !== undefined,
      hidden: this.#hidden + (this.#redactor?.hidden ?? 0),
      entries,
    };
  }

  /** Begins with the header of a file. Call it once, before `add`. */
  start(header: SessionHeader): void {
    this.#header = header;
    this.log.write(headerLine(header, this.#redactor !== undefined));
  }

  /** Adds an entry of a file. Secrets are removed from it. */
  add(entry: SessionEntry): void {
    const clean = this.#redactor?.entry(entry) ?? entry;
    this.log.write(entryLine(clean));
  }

  /** Adds a line of a recorder, which has removed the secrets itself. */
  write(line: string): void {
    if (this.#redactor) this.#hidden += line.split(REDACTED).length - 1;
    this.log.write(line);
  }
}

function headerLine(header: SessionHeader, isRedacted: boolean): string {
  const { startedAt, redacted, agent, client, cwd } = header;
  const clean = isRedacted ? redactValue(agent) : agent;
  const first = {
    recording: "dragoman",
    version: RECORDING_VERSION,
    startedAt: startedAt ?? new Date(0).toISOString(),
    redacted: isRedacted || redacted === true,
    agent: clean,
    client,
    cwd,
  };
  return `${JSON.stringify(first)}\n`;
}

/** A recording has one connection, so the name of the connection is left out. */
function entryLine(entry: SessionEntry | RecordingEntry): string {
  if (!isRecordedLine(entry))
    return `${JSON.stringify(entry.event === "unknown" ? entry.raw : entry)}\n`;
  const { ms, direction, line } = entry;
  return `${JSON.stringify({ ms, direction, line })}\n`;
}

/** The findings about a session so far, and the descriptions of all fields that it uses. */
export interface JudgedSession {
  /** The first ones, in the order of their frames. */
  readonly findings: readonly Finding[];
  readonly omitted: number;
  readonly entries: number;
  readonly fields: SessionFields;
}

/** The rules need the whole session in memory, so they stop here. */
const MOST_BYTES = 256 * 1024 * 1024;
/** A rule that every frame breaks is known long before this number. */
const MOST_FINDINGS = 5000;

/**
 * Judges a log when someone asks, from where it stopped the last time. A session without a reader costs
 * nothing, and the work is done in slices, so that the session that is watched does not wait for it.
 */
export class LogJudge {
  readonly #log: RecordingLog;
  #run: JudgeRun | undefined;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(log: RecordingLog) {
    this.#log = log;
  }

  /** Judges everything that is in the log now. Rejects if the log cannot be read. */
  judged(): Promise<JudgedSession> {
    const next = this.#busy.then(() => this.#judge());
    this.#busy = next.catch(() => {});
    return next;
  }

  /** Frees the memory. The next question begins again. */
  forget(): void {
    this.#run = undefined;
  }

  async #judge(): Promise<JudgedSession> {
    const { bytes, isOpen } = this.#log;
    // Findings at an end that was not the last one do not count anymore.
    if (this.#run?.isFinished === true && this.#run.position < bytes) this.forget();
    const run = (this.#run ??= new JudgeRun());
    await run.readTo(Math.min(bytes, MOST_BYTES), this.#log);
    if (!isOpen) run.finish();
    return run.result;
  }
}

class JudgeRun {
  position = 0;
  isFinished = false;
  #entries = 0;
  readonly #findings = new SessionFindings();
  readonly #reader = new RecordingReader({
    header: () => {},
    entry: (entry) => {
      this.#entries++;
      this.#findings.add(entry);
    },
  });

  get result(): JudgedSession {
    const { list, fields } = this.#findings;
    const findings = list.slice(0, MOST_FINDINGS);
    return { findings, omitted: list.length - findings.length, entries: this.#entries, fields };
  }

  async readTo(end: number, log: RecordingLog): Promise<void> {
    while (this.position < end) {
      const bytes = await log.read(this.position);
      if (bytes.length === 0) return;
      this.position += bytes.length;
      this.#reader.push(bytes);
      await new Promise<void>((resolve) => immediately(resolve));
    }
  }

  /** The last line is complete, because the log holds whole lines. */
  finish(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    this.#findings.finish();
  }
}

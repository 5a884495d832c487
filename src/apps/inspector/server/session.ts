import { REDACTED, redactValue } from "../../../base/index.ts";
import {
  isRecordedLine,
  RECORDING_VERSION,
  type RecordingEntry,
} from "../../../transport/wire/index.ts";
import type { PageSession } from "../export/page.ts";
import { type EntryRedactor, entryRedactor } from "../export/redaction.ts";
import {
  type ImportLoss,
  lossOf,
  type SessionEntry,
  type SessionHeader,
} from "../../../trace/index.ts";
import { LogJudge } from "./judge.ts";
import { RecordingLog, type RecordingLogOptions } from "./recording-log.ts";

/** Options of an {@link InspectedSession}. */
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

  /** Everything that a page lists about it. */
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

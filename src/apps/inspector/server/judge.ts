import { immediately } from "../../../base/index.ts";
import { RecordingReader } from "../../../transport/wire/index.ts";
import { FieldCollector, type SessionFields } from "../findings/fields.ts";
import type { Finding } from "../findings/finding.ts";
import { SessionFindings } from "../findings/findings.ts";
import { SessionModel } from "../../../trace/index.ts";
import type { RecordingLog } from "./recording-log.ts";

/** The findings about a session so far. */
export interface JudgedSession {
  /** The first ones, in the order of their frames. */
  readonly findings: readonly Finding[];
  /** How many more there are. */
  readonly omitted: number;
  /** How many entries were judged. */
  readonly entries: number;
}

/** The same, with the descriptions of all fields that the session uses. */
export interface DescribedSession extends JudgedSession {
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
  judged(): Promise<DescribedSession> {
    const next = this.#busy.then(() => this.#judge());
    this.#busy = next.catch(() => {});
    return next;
  }

  /** Frees the memory. The next question begins again. */
  forget(): void {
    this.#run = undefined;
  }

  async #judge(): Promise<DescribedSession> {
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
  readonly #model = new SessionModel();
  readonly #findings = new SessionFindings(this.#model);
  readonly #fields = new FieldCollector(this.#model);
  readonly #reader = new RecordingReader({
    header: () => {},
    entry: (entry) => {
      this.#entries++;
      const frame = this.#model.append(entry);
      if (!frame) return;
      this.#findings.saw(frame);
      this.#fields.saw(frame);
    },
  });

  get result(): DescribedSession {
    const { list } = this.#findings;
    const findings = list.slice(0, MOST_FINDINGS);
    const { fields } = this.#fields;
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

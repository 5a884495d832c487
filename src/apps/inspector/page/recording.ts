import { isJsonObject } from "../../../base/index.ts";
import {
  type RecordingEntry,
  type RecordingHeader,
  toRecordingEntry,
} from "../../../transport/wire/index.ts";
import type { PageSession } from "../export/page.ts";
import type { SessionFields, Finding } from "../findings.ts";
import { SessionModel } from "../../../trace/index.ts";
import { Slices } from "./work.ts";
import { type PageFindings, type PageSource, SourceError } from "./source.ts";

export type ReadingState =
  | { readonly type: "loading" | "live" | "done" }
  | { readonly type: "interrupted" | "failed"; readonly message: string };

/** Bytes between clock reads. */
const PIECE_BYTES = 32 * 1024;
/** A small file may hold a recording that has no end once it is unpacked. */
const MOST_EMBEDDED_BYTES = 512 * 1024 * 1024;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;
const FINDINGS_MS = 2000;

/** One recording: its model and findings, which grow while it is read. */
export class PageRecording {
  readonly info: PageSession;
  readonly model = new SessionModel();
  /** The findings of the last answer; undefined before the first one. */
  findings: readonly Finding[] | undefined;
  findingsFailure: string | undefined;
  /** The descriptions of fields, once the page asked for them. */
  fields: SessionFields = {};
  state: ReadingState = { type: "loading" };
  /** Grows with every change, so that views know when to compute again. */
  version = 0;
  readonly #source: PageSource;
  readonly #onChange: () => void;
  readonly #byRow = new Map<number, Finding[]>();
  #entries = 0;
  /** How many entries the findings cover. */
  #judged = -1;
  #isEnded = false;
  #askedAt = -Infinity;
  #asking = Promise.resolve();
  #askTimer: ReturnType<typeof setTimeout> | undefined;
  /** The frames and the version when the fields were asked for last. */
  #fieldsFrames = 0;
  #fieldsVersion = -1;

  constructor(info: PageSession, source: PageSource, onChange: () => void) {
    this.info = info;
    this.#source = source;
    this.#onChange = onChange;
    this.model.losses = info.losses;
  }

  get isTimed(): boolean {
    return this.info.isTimed !== false;
  }

  /** Whether the findings cover everything read so far. */
  get isJudged(): boolean {
    return this.#judged >= this.#entries;
  }

  readonly rulesOf = (row: number): readonly string[] =>
    this.findingsOf(row).map(({ rule, severity, side }) => `${rule} ${severity} ${side}`);

  readonly findingsOf = (row: number): readonly Finding[] => this.#byRow.get(row) ?? [];

  /** Reads the recording until its end. Never rejects. */
  async read(): Promise<void> {
    let wait = FIRST_RETRY_MS;
    let isLive = this.info.live;
    for (;;) {
      const before = this.#entries;
      try {
        await this.#readStream();
        isLive = isLive && (await this.#isStillLive());
        if (!isLive) break;
        this.#set({ type: "interrupted", message: "The connection ended. Connecting again." });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        const isFinal =
          !isLive || (error instanceof SourceError && error.failure !== "unreachable");
        if (isFinal) return this.#set({ type: "failed", message });
        this.#set({ type: "interrupted", message });
      }
      wait = this.#entries > before ? FIRST_RETRY_MS : Math.min(2 * wait, LAST_RETRY_MS);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
    this.#isEnded = true;
    await this.#askFindings();
    this.#set({ type: "done" });
  }

  async #isStillLive(): Promise<boolean> {
    const sessions = await this.#source.sessions();
    return sessions.some(({ id, live }) => id === this.info.id && live);
  }

  async #readStream(): Promise<void> {
    const stream = await this.#source.recording(this.info.id, this.#entries);
    // The server or the export has read the recording before, so every line is valid.
    let bytes = 0;
    const decoder = new TextDecoder();
    const open: string[] = [];
    const slices = new Slices();
    const chunks = stream.getReader();
    for (;;) {
      const { value, done } = await chunks.read().catch(() => {
        throw new SourceError(this.#source.isServed ? "unreachable" : "damaged");
      });
      if (done) break;
      bytes += value.length;
      if (!this.#source.isServed && bytes > MOST_EMBEDDED_BYTES) throw new SourceError("large");
      for (let at = 0; at < value.length; at += PIECE_BYTES) {
        const text = decoder.decode(value.subarray(at, at + PIECE_BYTES), { stream: true });
        const end = text.lastIndexOf("\n");
        open.push(text.slice(0, end + 1));
        if (end >= 0) {
          for (const line of open.join("").split("\n")) {
            if (line === "") continue;
            const entry: unknown = JSON.parse(line);
            if (isHeader(entry)) this.#header(entry);
            else this.#entry(toRecordingEntry(entry, 0));
          }
          open.length = 0;
        }
        open.push(text.slice(end + 1));
        this.#changed();
        await slices.next();
      }
      if (!this.info.live) continue;
      this.#set({ type: "live" });
      this.#askSoon(FINDINGS_MS);
    }
  }

  #header(header: RecordingHeader): void {
    const { version, startedAt, redacted, agent, client, cwd } = header;
    const { isTimed } = this;
    const format = this.info.format ?? "dragoman";
    this.model.header = { format, version, startedAt, redacted, agent, client, cwd, isTimed };
  }

  #entry(entry: RecordingEntry): void {
    this.#entries++;
    this.model.append(entry);
  }

  /** The fields that the schema declares in frames like this one; undefined if they are not known. */
  fieldsOf(row: number): SessionFields[string] | undefined {
    const { frames } = this.model;
    // Later frames may have other fields.
    const isNew = row >= this.#fieldsFrames;
    const fields = this.fields[`${frames.method(row)} ${frames.kind(row)} ${frames.update(row)}`];
    if ((isNew || !fields) && this.#fieldsVersion !== this.version) void this.askFields();
    return isNew ? undefined : fields;
  }

  /** Asks for the descriptions of all fields. Never rejects. */
  async askFields(): Promise<SessionFields> {
    this.#fieldsVersion = this.version;
    const { count } = this.model.frames;
    const fields = await this.#source.fields(this.info.id).catch(() => undefined);
    if (fields) [this.fields, this.#fieldsFrames] = [fields, count];
    this.#onChange();
    return this.fields;
  }

  /** The findings for everything so far. Rejects if the request fails. */
  async allFindings(): Promise<readonly Finding[]> {
    if (!this.isJudged) await this.#askFindings();
    const { findings, findingsFailure } = this;
    if (!findings || findingsFailure !== undefined) throw new Error(findingsFailure);
    return findings;
  }

  /** Asks for the findings, `pause` milliseconds after the last request. What comes meanwhile is asked about too. */
  #askSoon(pause: number): void {
    const wait = Math.max(0, this.#askedAt + pause - performance.now());
    this.#askTimer ??= setTimeout(() => void this.#askFindings(), wait);
  }

  /** Asks for the findings once more, after the requests before. Never rejects. */
  #askFindings(): Promise<void> {
    this.#asking = this.#asking.then(async () => {
      clearTimeout(this.#askTimer);
      this.#askTimer = undefined;
      this.#askedAt = performance.now();
      try {
        this.#judgedAs(await this.#source.findings(this.info.id));
      } catch (error) {
        // Everything else works without findings, and the next request may succeed.
        this.findingsFailure = error instanceof Error ? error.message : String(error);
        if (!this.#isEnded) this.#askSoon(LAST_RETRY_MS);
      }
      this.#changed();
    });
    return this.#asking;
  }

  #judgedAs({ findings, entries }: PageFindings): void {
    this.findings = findings;
    this.findingsFailure = undefined;
    this.#judged = entries;
    this.#byRow.clear();
    for (const finding of findings)
      for (const number of finding.frames) {
        const known = this.#byRow.get(number - 1);
        if (known) known.push(finding);
        else this.#byRow.set(number - 1, [finding]);
      }
  }

  #set(state: ReadingState): void {
    if (this.state.type === state.type) return;
    this.state = state;
    this.#changed();
  }

  #changed(): void {
    this.version++;
    this.#onChange();
  }
}

function isHeader(value: unknown): value is RecordingHeader {
  return isJsonObject(value) && "recording" in value;
}

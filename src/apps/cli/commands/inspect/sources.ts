import {
  type ImportLoss,
  type SessionEntry,
  type SessionHeader,
  SessionReader,
  lossOf,
} from "../../../../trace/index.ts";
import { messageOf } from "../../../../base/index.ts";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CliError, usageError } from "../../shell/exit.ts";
import { MIB, readGivenFileChunks } from "../../shell/regular-file.ts";
import type { InspectedSession } from "../../../inspector/index.ts";
import { isRecordedLine } from "../../../../transport/wire/index.ts";

/** Gets the sessions of a source as they are read. */
export interface SessionSink {
  header(header: SessionHeader): void;
  entry(entry: SessionEntry): void;
  /** Everything that is there was read. */
  ended(losses: readonly ImportLoss[]): void;
  /** A source that had ended goes on. */
  resumed(): void;
}

/** Something that the user named, and that can be shown: a file, or a session of a fleet. */
export interface SessionSource {
  readonly name: string;
  /** Reads what is there, and takes it for all there is. Throws a CliError. */
  read(): Promise<void>;
  /** Finds out whether this can be shown. Some of it may be read. Throws a CliError. */
  readFirst(): Promise<void>;
  /** Reads on while it grows, until the signal is aborted. Resolves with the reason if it cannot. */
  follow(signal: AbortSignal): Promise<string | undefined>;
}

/** The place that has the things that the user named: the disk, or the servers of a fleet. */
export interface SessionSources {
  /** Everything that each session from here lacks. */
  readonly losses: readonly ImportLoss[];
  /** The names on the page, for these that the user gave. */
  titles(names: readonly string[]): readonly string[];
  open(name: string, sink: SessionSink): SessionSource;
  close(): Promise<void>;
}

/** Larger files are not recordings that a page could show. */
const MAX_BYTES = 4096 * MIB;
/** How often a file is looked at, and how long it must rest until it counts as finished. */
const POLL_MS = 250;
const REST_MS = 10_000;

export function fileSources(cwd: string): SessionSources {
  return {
    losses: [],
    titles: shownNames,
    open: (name, sink) => new RecordedFile(name, cwd, sink),
    close: () => Promise.resolve(),
  };
}

/** The names on the page: without folders, which it must not reveal, unless two files have the same name. */
function shownNames(files: readonly string[]): readonly string[] {
  const names = files.map((file) => basename(file));
  return new Set(names).size === names.length ? names : files;
}

/** A recording or capture that the user named, which may still grow. */
class RecordedFile implements SessionSource {
  readonly name: string;
  readonly #path: string;
  readonly #sink: SessionSink;
  #reader: SessionReader;
  #position = 0;
  #entries = 0;
  /** How many entries the sink has already, while a file that had ended is read again. */
  #toSkip = 0;
  #hasHeader = false;
  #isEnded = false;
  /** Whether the last entry is the end of the agent. */
  #hasExit = false;
  #grewAt = 0;

  constructor(name: string, cwd: string, sink: SessionSink) {
    this.name = name;
    this.#path = resolve(cwd, name);
    this.#sink = sink;
    this.#reader = this.#newReader();
  }

  async read(): Promise<void> {
    await this.#readMore();
    this.#end();
  }

  /** Reads what is there. If the file was changed just now, more may follow. Throws a usage error. */
  async readFirst(): Promise<void> {
    await this.#readMore();
    const { mtimeMs } = await stat(this.#path).catch(() => ({ mtimeMs: 0 }));
    this.#grewAt = mtimeMs;
    if (!this.#reader.hasLineFormat || this.#isResting) this.#end();
  }

  async follow(signal: AbortSignal): Promise<string | undefined> {
    try {
      for (;;) {
        await pause(POLL_MS, undefined, { signal });
        const { size } = await stat(this.#path);
        if (size < this.#position) throw new Error("it was replaced");
        if (size > this.#position) await this.#readGrown();
        else if (!this.#isEnded && this.#isResting) this.#end();
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!this.#isEnded) this.#end();
      return `${this.name} is not read anymore: ${messageOf(error)}`;
    }
  }

  /** Whether nothing more is expected: the agent has ended, or the file has not grown for a while. */
  get #isResting(): boolean {
    return this.#hasExit || Date.now() - this.#grewAt > REST_MS;
  }

  /** A reader that has ended cannot go on, so another one reads the file again from the start. */
  async #readGrown(): Promise<void> {
    this.#grewAt = Date.now();
    if (this.#isEnded) {
      // A format that is one value cannot grow.
      if (!this.#reader.hasLineFormat) return;
      this.#isEnded = false;
      this.#sink.resumed();
      [this.#toSkip, this.#entries, this.#position] = [this.#entries, 0, 0];
      this.#reader = this.#newReader();
    }
    await this.#readMore();
  }

  async #readMore(): Promise<void> {
    const { name } = this;
    const options = { maxBytes: MAX_BYTES, from: this.#position };
    try {
      await readGivenFileChunks(this.#path, name, options, (chunk) => {
        this.#position += chunk.length;
        this.#reader.push(chunk);
      });
    } catch (error) {
      throw this.#named(error);
    }
  }

  #end(): void {
    this.#isEnded = true;
    try {
      this.#sink.ended(this.#reader.end());
    } catch (error) {
      throw this.#named(error);
    }
  }

  #newReader(): SessionReader {
    return new SessionReader({
      header: (header) => {
        if (!this.#hasHeader) this.#sink.header(header);
        this.#hasHeader = true;
      },
      entry: (entry) => {
        this.#entries++;
        this.#hasExit = "event" in entry && entry.event === "exit";
        if (this.#toSkip > 0) this.#toSkip--;
        else this.#sink.entry(entry);
      },
    });
  }

  #named(error: unknown): CliError {
    return error instanceof CliError ? error : usageError(`${this.name}: ${messageOf(error)}`);
  }
}

/** A capture with more connections was not made by a program that is known. */
const MAX_LANES = 20;

type AddSession = (name: string) => InspectedSession;

/** The sessions of a source: one for each connection, because their frames have nothing to do with each other. */
export class SourceSessions implements SessionSink {
  readonly #name: string;
  readonly #add: AddSession;
  readonly #losses: readonly ImportLoss[];
  readonly #byLane = new Map<string, InspectedSession>();
  #header: SessionHeader | undefined;
  #leftOut = 0;

  constructor(name: string, add: AddSession, losses: readonly ImportLoss[]) {
    this.#name = name;
    this.#add = add;
    this.#losses = losses;
  }

  get list(): readonly InspectedSession[] {
    return [...this.#byLane.values()];
  }

  header(header: SessionHeader): void {
    this.#header = header;
  }

  entry(entry: SessionEntry): void {
    const session = this.#session(isRecordedLine(entry) ? (entry.lane ?? "") : this.#firstLane);
    if (session) session.add(entry);
    else this.#leftOut++;
  }

  ended(losses: readonly ImportLoss[]): void {
    // A recording without entries is a session too.
    if (this.#byLane.size === 0) this.#session("");
    const dropped = this.#leftOut === 0 ? [] : [lossOf("dropped", this.#leftOut)];
    for (const session of this.list) {
      session.losses = [...this.#losses, ...losses, ...dropped];
      session.log.end();
    }
  }

  resumed(): void {
    for (const { log } of this.list) log.reopen();
  }

  /** Events belong to no connection, so they are shown with the first one. */
  get #firstLane(): string {
    const [first] = this.#byLane.keys();
    return first ?? "";
  }

  #session(lane: string): InspectedSession | undefined {
    const known = this.#byLane.get(lane);
    if (known || this.#byLane.size >= MAX_LANES) return known;
    const session = this.#add(lane === "" ? this.#name : `${this.#name} · ${lane}`);
    session.losses = this.#losses;
    if (this.#header) session.start(this.#header);
    this.#byLane.set(lane, session);
    return session;
  }
}

import { messageOf } from "../../../../base/index.ts";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SessionReader } from "../../../../trace/index.ts";
import { CliError, usageError } from "../../shell/exit.ts";
import { MIB, readGivenChunks } from "../../shell/regular-file.ts";
import type { SessionSink, SessionSource, SessionSources } from "./sources.ts";

/** Larger files are not recordings that a page could show. */
const MAX_BYTES = 4096 * MIB;
/** How often a file is looked at, and how long it must rest until it counts as finished. */
const POLL_MS = 250;
const REST_MS = 10_000;

/** The files that the user names. */
export function fileSources(cwd: string): SessionSources {
  return {
    losses: [],
    titles: shownNames,
    open: (name, sink) => new RecordedFile(name, cwd, sink),
    close: () => Promise.resolve(),
  };
}

/**
 * The names of files on the page: without their folders, which an exported page must not reveal, unless two
 * files have the same name.
 */
function shownNames(files: readonly string[]): readonly string[] {
  const names = files.map((file) => basename(file));
  return new Set(names).size === names.length ? names : files;
}

/** A recording or capture that the user named, which may still grow. */
export class RecordedFile implements SessionSource {
  readonly name: string;
  readonly #path: string;
  readonly #sink: SessionSink;
  readonly #restMs: number;
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

  constructor(name: string, cwd: string, sink: SessionSink, restMs = REST_MS) {
    this.name = name;
    this.#path = resolve(cwd, name);
    this.#sink = sink;
    this.#restMs = restMs;
    this.#reader = this.#newReader();
  }

  /** Reads what is there, and takes it for all there is. Throws a usage error. */
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

  /** Reads on while the file grows, until the signal is aborted. Resolves with the reason if it cannot. */
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
    return this.#hasExit || Date.now() - this.#grewAt > this.#restMs;
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
      await readGivenChunks(this.#path, name, options, (chunk) => {
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

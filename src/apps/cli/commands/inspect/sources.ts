import type { ImportLoss, SessionEntry, SessionHeader } from "../../../../trace/index.ts";

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

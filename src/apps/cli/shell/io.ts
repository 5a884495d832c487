import type { Readable, Writable } from "node:stream";

/** Something that may be shown on a terminal. */
interface Sized {
  /** The width of the terminal; undefined for a pipe or a file. */
  columns(): number | undefined;
  rows(): number | undefined;
  /** Calls `handler` when the size of the terminal has changed. Returns a function to stop. */
  onResize(handler: () => void): () => void;
}

/** An output stream: a terminal, a pipe or a file. */
export interface Output extends Sized {
  readonly stream: Writable;
  readonly isTty: boolean;
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The size of a terminal, some of which report none, or zero columns. */
export function outputSize(output: Pick<Output, "columns" | "rows">): ScreenSize {
  return { columns: output.columns() || 80, rows: output.rows() || 24 };
}

/** The kind of stdin. `other` is a device such as `/dev/null`, or a closed stdin: it is never read. */
export type InputKind = "tty" | "pipe" | "file" | "other";

/** The user's terminal, which is available even if stdin and stdout are pipes. */
export interface UserTerminal extends Sized {
  readonly input: Readable;
  readonly output: Writable;
  /** Switches raw mode, in which keys arrive one by one. */
  setRaw(raw: boolean): void;
  /** Discards all typed input, including an unfinished line: it cannot answer what is shown next. */
  discardTyped(): void;
  close(): void;
}

/** The same terminal as file descriptors, for a child process. */
export interface TerminalStdio {
  readonly stdio: readonly [stdin: number, stdout: number, stderr: number];
  close(): void;
}

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Everything that the command line uses of its environment. Tests pass their own, so that every
 * command can run inside a test.
 */
export interface Io {
  readonly stdin: Readable;
  readonly stdinKind: InputKind;
  /** Switches raw mode, in which keys arrive one by one. Present only if stdin is a terminal. */
  readonly setRaw?: (raw: boolean) => void;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether stdout and stderr go to the same file, pipe or terminal, as after `2>&1`. */
  readonly oneOutput?: boolean;
  readonly env: Environment;
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly version: string;
  /** Parts of this program: how to start the embedded agent and the Droid adapter, and the page. */
  readonly self: {
    readonly node: string;
    readonly dragoman: readonly string[];
    readonly droidAcp: readonly string[];
    readonly inspectPage: string;
  };
  /** Opens the controlling terminal; undefined if there is none. */
  openTerminal(): UserTerminal | undefined;
  /** Opens the controlling terminal for a child process; undefined if there is none. */
  openTerminalStdio(): TerminalStdio | undefined;
  /**
   * Stops the process while it is in the background of its terminal, as a read would. A program that
   * changes the mode of the terminal calls this first: in the background it would take over the mode of
   * the shell. Returns input that was read on the way.
   */
  awaitForeground(): Buffer;
  /** Stops the job, as Ctrl-Z does in the normal mode of a terminal. */
  suspend(): void;
  /** Calls `handler` when the process continues after a stop. Returns a function to stop listening. */
  onContinue(handler: () => void): () => void;
  /** Calls `handler` on a signal, which then does not end the process. Returns a function to stop. */
  onSignal(name: SignalName, handler: () => void): () => void;
  /** Ends the process at once, as the signal would without a handler. Waits for nothing. */
  endBySignal(name: SignalName): void;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Shorter waits, for tests only. Default: the constants of the code that waits. */
  readonly timing?: {
    /** How long an agent may take to end a cancelled turn. */
    readonly cancelGraceMs?: number;
    /** How long an agent may take to send its commands. */
    readonly commandsWaitMs?: number;
    /** How long an agent may take to end after a second signal. */
    readonly secondSignalMs?: number;
  };
}

/** Prints text. A reader that closes the pipe early, as in `| head`, is not a failure. */
export function print({ stdout }: Pick<Io, "stdout">, text: string): Promise<void> {
  return new Promise((resolve) => {
    stdout.stream.on("error", () => resolve());
    stdout.stream.write(text, () => resolve());
  });
}

import type { Readable, Writable } from "node:stream";

/** Where text goes: a terminal, a pipe or a file. */
export interface Output {
  readonly stream: Writable;
  readonly isTty: boolean;
  /** Width of the terminal, if it is one. */
  columns(): number | undefined;
}

/** What stands behind stdin. `other` is a socket, `/dev/null` or nothing at all: never waited for. */
export type InputKind = "tty" | "pipe" | "file" | "other";

/** The terminal of the person at the keyboard, whatever stdin and stdout are connected to. */
export interface UserTerminal {
  readonly input: Readable;
  readonly output: Writable;
  columns(): number | undefined;
  /** Throws away what was typed before now, also half a line: it cannot be meant for what is shown next. */
  discardTyped(): void;
  /** Stops reading and lets go of it. */
  close(): void;
}

/** The same terminal as descriptors, for a command that is to have it. */
export interface LentTerminal {
  readonly stdio: readonly [stdin: number, stdout: number, stderr: number];
  close(): void;
}

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * All that the command line has of the outside world. Tests hand in their own, so that every
 * command can run inside a test: arguments and this in, an exit code out.
 */
export interface Io {
  readonly stdin: Readable;
  readonly stdinKind: InputKind;
  /** Keys one by one, or lines as usual; only where stdin is a terminal. */
  readonly setRaw?: (raw: boolean) => void;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether both lead to the same place, as after `2>&1`. */
  readonly oneOutput?: boolean;
  readonly env: Environment;
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly version: string;
  /** How the embedded agent and the Droid adapter are started: this Node, and the two bins. */
  readonly self: {
    readonly node: string;
    readonly dragoman: readonly string[];
    readonly droidAcp: readonly string[];
  };
  /** Opens the controlling terminal; undefined when there is none. */
  openTerminal(): UserTerminal | undefined;
  /** Opens it for a command that is to have it: stdin, stdout and stderr; undefined as above. */
  lendTerminal(): LentTerminal | undefined;
  /** Calls back on a signal, and keeps it from ending the process; returns how to stop that. */
  onSignal(name: SignalName, handler: () => void): () => void;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** A file of the system failed with this code, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

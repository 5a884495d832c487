import type { ExitStatus } from "../../../base/index.ts";
import type { RawLine } from "./raw-lines.ts";

/** How a connection to a subject ended. */
export interface TransportEnd {
  /** In words, such as `exited with code 3`. */
  readonly how: string;
  /** Undefined for a subject that this run did not start. */
  readonly exit?: ExitStatus | undefined;
  /** Why a connection to a server failed. */
  readonly error?: Error | undefined;
}

export interface ProcessControl {
  readonly pid: number;
  /** Resolves when the started process has exited. */
  readonly exited: Promise<ExitStatus>;
  /** Closes the subject's stdin. */
  endInput(): void;
  /** Stops reading the subject's stdout. */
  pause(): void;
  resume(): void;
  /** Closes this side of the subject's stdout. */
  closeOutput(): void;
  /** Signals the started process alone. */
  signal(name: NodeJS.Signals): void;
  /** The processes of its tree that are left. */
  pids(): Promise<readonly number[]>;
}

/** Bytes to a subject, and lines from it. */
export interface Transport {
  open(receive: (line: RawLine) => void): void;
  /** Writes bytes. Resolves when more can be written, and when the subject is gone. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** Undefined for a subject that this run did not start. */
  readonly process: ProcessControl | undefined;
  /** Resolves when the connection has ended and every line was delivered. Never rejects. */
  readonly ended: Promise<TransportEnd>;
  /** The end of the subject's stderr output. */
  stderr(): string;
  /** How many bytes the subject wrote to stderr. */
  stderrBytes(): number;
  /** Ends the connection, and every process that the subject started. */
  end(): Promise<void>;
}

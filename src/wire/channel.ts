import { redactText } from "./recording/redact.ts";

/** How a process ended. Exactly one of the two is set, as Node reports it. */
export interface ExitStatus {
  readonly code: number | null;
  /** Its name, such as `SIGKILL`. */
  readonly signal: string | null;
}

/** Why a channel closed. `stderr` is the last part of what a process wrote there. */
export type CloseReason =
  /** This side closed it; a process that was ended by it says how it went. */
  | { readonly kind: "closed"; readonly exit?: ExitStatus; readonly stderr?: string }
  /** The other side ended the stream. */
  | { readonly kind: "ended" }
  /** The process behind the channel exited by itself. */
  | { readonly kind: "exited"; readonly exit: ExitStatus; readonly stderr: string }
  /** Reading or writing failed. */
  | { readonly kind: "failed"; readonly error: Error; readonly stderr?: string };

/**
 * A two-way stream of lines, each one frame of a protocol.
 *
 * A channel knows nothing of what the lines mean. It is opened once, and it closes once: `closed`
 * resolves (it never rejects) after every line that arrived has been handed over.
 */
export interface Channel {
  /** Starts the flow: `receive` gets each line, in order. Throws if the channel was opened before. */
  open(receive: (line: string) => void): void;
  /**
   * Queues one line (without its newline). The promise resolves when the pipe can take more, so
   * awaiting it is backpressure; it rejects with {@link ChannelClosedError} when the channel is
   * closed. Not awaiting it is safe: its rejection never counts as unhandled.
   */
  send(line: string): Promise<void>;
  /** Stops reading until {@link Channel.resume}; lines already read may still be handed over. */
  pause(): void;
  resume(): void;
  /** Closes both directions and frees what stands behind them. Resolves like `closed`. */
  close(): Promise<CloseReason>;
  readonly closed: Promise<CloseReason>;
}

/** A line was sent on a channel that is closed. */
export class ChannelClosedError extends Error {
  override readonly name = "ChannelClosedError";

  constructor(options?: ErrorOptions) {
    super("the channel is closed", options);
  }
}

/**
 * Says for people why a channel closed, with the last lines of stderr. What looks like a secret in
 * them is left out, since errors are logged; the reason itself holds them as they came.
 */
export function describeClose(reason: CloseReason): string {
  switch (reason.kind) {
    case "closed":
      return "the connection was closed by this side";
    case "ended":
      return "the other side ended the connection";
    case "exited":
      return `the process ${describeExit(reason.exit)}${lastLines(reason.stderr)}`;
    case "failed":
      return `the connection failed: ${reason.error.message}${lastLines(reason.stderr ?? "")}`;
  }
}

/** Says how a process ended: `exited with code 3`, `was ended by SIGKILL`. */
export function describeExit(exit: ExitStatus): string {
  return exit.signal === null ? `exited with code ${exit.code}` : `was ended by ${exit.signal}`;
}

const SHOWN_STDERR_LINES = 5;

function lastLines(stderr: string): string {
  const lines = stderr.trimEnd().split("\n").slice(-SHOWN_STDERR_LINES).join("\n");
  return lines === "" ? "" : `; its last words on stderr:\n${redactText(lines)}`;
}

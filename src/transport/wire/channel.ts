import {
  DragomanError,
  describeExit,
  type ExitStatus,
  redactText,
  sanitize,
} from "../../base/index.ts";

/** Why a channel closed. `stderr` is the end of the process's stderr output. */
export type CloseReason =
  /** This side closed the channel. If that ended a process, `exit` is how it ended. */
  | {
      readonly kind: "closed";
      /** How the process ended; undefined if there was none. */
      readonly exit?: ExitStatus | undefined;
      /** The end of the process's stderr output. */
      readonly stderr?: string | undefined;
    }
  /** The other side ended the stream. `code` and `text` are those of a WebSocket's close frame. */
  | {
      readonly kind: "ended";
      readonly code?: number | undefined;
      readonly text?: string | undefined;
    }
  /** The process behind the channel exited by itself. */
  | {
      readonly kind: "exited";
      /** How the process ended. */
      readonly exit: ExitStatus;
      /** The end of the process's stderr output. */
      readonly stderr: string;
    }
  /** Reading or writing failed. */
  | {
      readonly kind: "failed";
      /** The error that reading or writing failed with. */
      readonly error: Error;
      /** The end of the process's stderr output. */
      readonly stderr?: string | undefined;
    };

/**
 * A two-way stream of lines, each one frame of a protocol.
 *
 * A channel does not know what the lines mean. It is opened once and closes once: `closed` resolves
 * (it never rejects) after every line that arrived has been delivered.
 */
export interface Channel {
  /** Starts reading: `receive` gets each line, in order. Throws if the channel is already open. */
  open(receive: (line: string) => void): void;
  /**
   * Queues one line (without its newline). The promise resolves when the pipe can take more, so
   * awaiting it is backpressure; it rejects with {@link ChannelClosedError} when the channel is
   * closed. Not awaiting it is safe: its rejection is never reported as unhandled.
   */
  send(line: string): Promise<void>;
  /** Stops reading until {@link Channel.resume}; lines already read may still be delivered. */
  pause(): void;
  resume(): void;
  /** Closes both directions and frees their resources. Resolves with the reason, as `closed`. */
  close(): Promise<CloseReason>;
  /** Resolves with the reason once the channel is closed. Never rejects. */
  readonly closed: Promise<CloseReason>;
}

/** A line was sent on a closed channel. */
export class ChannelClosedError extends DragomanError {
  override readonly name = "ChannelClosedError";

  /** Creates the error; `options.cause` says why the channel closed. */
  constructor(options?: ErrorOptions) {
    super("closed", "the channel is closed", options);
  }
}

/**
 * Describes for people why a channel closed, with the last lines of stderr. Text that looks like a
 * secret is redacted, because errors are logged; the reason itself keeps stderr unchanged.
 */
export function describeClose(reason: CloseReason): string {
  switch (reason.kind) {
    case "closed":
      return "the connection was closed by this side";
    case "ended":
      return `the other side ended the connection${closeFrame(reason)}`;
    case "exited":
      return `the process ${describeExit(reason.exit)}${lastLines(reason.stderr)}`;
    case "failed":
      return `the connection failed: ${reason.error.message}${lastLines(reason.stderr ?? "")}`;
  }
}

function closeFrame({
  code,
  text,
}: {
  code?: number | undefined;
  text?: string | undefined;
}): string {
  if (text === undefined || text === "") return code === undefined ? "" : ` (${code})`;
  return ` (${code === undefined ? "" : `${code}: `}${redactText(text)})`;
}

const SHOWN_LINES = 5;

/**
 * The last lines that a program printed, to follow the text of an error. Text that looks like a secret is
 * redacted, and characters that could change a terminal are visible.
 */
export function lastLines(text: string, stream: "stderr" | "stdout" = "stderr"): string {
  const lines = text.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
  return lines === "" ? "" : `; last lines of ${stream}:\n${sanitize(redactText(lines))}`;
}

/**
 * How far a client or a session is in its life. It leaves `open` before any of its turns fails, so code
 * that handles a failed turn can rely on it. `closing` lasts until nothing that belongs to it is left.
 */
export type LifecycleState = "open" | "closing" | "closed";

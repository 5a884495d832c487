import type {
  RecordedAgent,
  RecordedClient,
  RecordedEvent,
  RecordedLine,
} from "../../transport/wire/index.ts";
import { DragomanError, type JsonObject } from "../../base/index.ts";

export type SessionFormat =
  | "dragoman"
  | "acp-devtools"
  | "acp-inspector"
  | "conductor"
  | "direction-json"
  | "zed"
  | "agent-frames"
  | "agent-shell"
  | "json-lines";

/** The facts about a session that are not in its frames. */
export interface SessionHeader {
  readonly format: SessionFormat;
  /** The version of the format, if it has one. */
  readonly version?: number | undefined;
  /** The time of the first entry, in ISO 8601; undefined if the format does not say. */
  readonly startedAt?: string | undefined;
  /** Whether secrets were removed; undefined if the format does not say. */
  readonly redacted?: boolean | undefined;
  readonly agent?: RecordedAgent | undefined;
  readonly client?: RecordedClient | undefined;
  readonly cwd?: string | undefined;
  /** Whether entries have times. Without them, every `ms` is 0. */
  readonly isTimed: boolean;
}

/** A line on the wire. Captures of several connections name the connection that a line belongs to. */
export type SessionLine = RecordedLine & {
  /** The connection; undefined for the first or only one. */
  readonly lane?: string | undefined;
  /** Set if its bytes were not valid UTF-8. Recordings hold text, so they cannot tell. */
  readonly isNotUtf8?: boolean | undefined;
};

/** One thing that happened in a session. */
export type SessionEntry = SessionLine | RecordedEvent;

const LOSSES = {
  times: "the format has no times",
  raw: "the lines were written again from their parts; order of fields and spacing may differ",
  stderr: "the format has no stderr and no exit of the agent",
  decisions: "the format does not say who decided about permissions, and why",
  errors:
    "the format does not mark errors; responses with a code and a message are taken for errors",
  directions: "the format has no directions; they follow from the methods",
  ambiguous: "the format writes false, null and empty objects alike; null stands for all of them",
  dropped: "the program that made the capture left out frames",
  cut: "the last line was cut off",
  unreadable: "lines could not be read and were left out",
} as const;

/** Something that a format cannot say, or that this file lacks. */
export interface ImportLoss {
  readonly code: keyof typeof LOSSES;
  readonly text: string;
  /** How many frames or lines are concerned, if that is known. */
  readonly count?: number | undefined;
}

/** The loss of this code. */
export function lossOf(code: ImportLoss["code"], count?: number): ImportLoss {
  const text = LOSSES[code];
  return count === undefined ? { code, text } : { code, text: `${text} (${count})`, count };
}

/** The losses of these codes. One with a count is left out if it is 0, and `false` stands for none. */
export function lossesOf(
  ...losses: readonly (ImportLoss["code"] | false | readonly [ImportLoss["code"], number])[]
): readonly ImportLoss[] {
  return losses.flatMap((loss) => {
    if (loss === false) return [];
    if (typeof loss === "string") return [lossOf(loss)];
    return loss[1] > 0 ? [lossOf(...loss)] : [];
  });
}

export interface SessionImport {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  readonly losses: readonly ImportLoss[];
}

/** The text is not in any format that can be opened, or it is damaged beyond use. */
export class SessionFormatError extends DragomanError {
  override readonly name = "SessionFormatError";

  constructor(message: string, options?: ErrorOptions) {
    super("invalid_argument", message, options);
  }
}

/** The direction of a line, from the words of a format for the two; undefined for another word. */
export function directionIn(
  word: unknown,
  toAgent: string,
  toClient: string,
): SessionLine["direction"] | undefined {
  if (word === toAgent) return "out";
  return word === toClient ? "in" : undefined;
}

/** Reads a format in which every line is a JSON object. */
export interface LineFormat {
  /** Whether a file with this first object has the format. */
  readonly matches: (first: JsonObject) => boolean;
  readonly open: (first: JsonObject) => LineFormatReader;
}

export interface LineFormatReader {
  readonly header: SessionHeader;
  /**
   * Reads one object, the first one included, and the line that it stands on. Returns undefined for an object that holds no entry, and
   * "unreadable" for one that does not belong into the format.
   */
  readonly read: (value: JsonObject, text: string) => SessionEntry | "unreadable" | undefined;
  /** Everything that the format cannot hold. Called after the last line. */
  readonly losses: () => readonly ImportLoss[];
}

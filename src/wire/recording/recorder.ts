import { isJsonObject } from "../lines/frames.ts";
import { callSafely } from "../async.ts";
import { redactLine } from "./redact.ts";
import type { Direction, Tap } from "./tap.ts";

/** The version of the format below; readers refuse a newer one. */
export const RECORDING_VERSION = 1;

/** The first line of a recording. */
export interface RecordingHeader {
  readonly recording: "dragoman";
  readonly version: number;
  /** When the recording began, ISO 8601. */
  readonly startedAt: string;
  readonly redacted: boolean;
}

/** Every further line: one line of the wire, with the milliseconds since the recording began. */
export interface RecordedLine {
  readonly ms: number;
  readonly direction: Direction;
  readonly line: string;
}

export interface RecorderOptions {
  /** Keep secrets (env values, headers, tokens, keys) in the recording. Off unless told. */
  readonly keepSecrets?: boolean;
}

/**
 * A tap that writes what it sees as JSON lines, a header first, secrets taken out.
 *
 * `write` gets each line with its newline; buffering, closing and failing are its owner's.
 */
export function recorder(write: (text: string) => void, options: RecorderOptions = {}): Tap {
  const clean = options.keepSecrets === true ? (line: string) => line : redactLine;
  const put = (value: RecordingHeader | RecordedLine): void =>
    callSafely(() => write(`${JSON.stringify(value)}\n`));
  let startedAt: number | undefined;
  return ({ at, direction, line }) => {
    if (startedAt === undefined) {
      startedAt = at;
      put({
        recording: "dragoman",
        version: RECORDING_VERSION,
        startedAt: new Date(at).toISOString(),
        redacted: options.keepSecrets !== true,
      });
    }
    put({ ms: at - startedAt, direction, line: clean(line) });
  };
}

export interface Recording {
  readonly header: RecordingHeader;
  readonly lines: readonly RecordedLine[];
}

/** A text is no recording, or one that this program cannot read. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
  /** The line that is wrong, counted from 1; undefined when there is none at all. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** Reads a recording back. Throws {@link RecordingError}, which names the line that is wrong. */
export function parseRecording(text: string): Recording {
  const [first, ...rest] = text
    .split("\n")
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== "");
  if (!first) throw new RecordingError("the recording is empty");
  return {
    header: parseHeader(parseJson(first.line, first.number), first.number),
    lines: rest.map(({ line, number }) => parseEntry(parseJson(line, number), number)),
  };
}

function parseJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new RecordingError(`line ${number} of the recording is not JSON`, number);
  }
}

function parseHeader(value: unknown, number: number): RecordingHeader {
  if (
    !isJsonObject(value) ||
    value["recording"] !== "dragoman" ||
    typeof value["version"] !== "number"
  ) {
    throw new RecordingError("this is not a recording: its first line lacks the header", number);
  }
  if (value["version"] > RECORDING_VERSION) {
    throw new RecordingError(
      `the recording has version ${value["version"]}; this program reads up to version ${RECORDING_VERSION}`,
      number,
    );
  }
  return {
    recording: "dragoman",
    version: value["version"],
    startedAt: String(value["startedAt"]),
    redacted: value["redacted"] === true,
  };
}

function parseEntry(value: unknown, number: number): RecordedLine {
  if (isJsonObject(value)) {
    const { ms, direction, line } = value;
    if (
      typeof ms === "number" &&
      typeof line === "string" &&
      (direction === "in" || direction === "out")
    ) {
      return { ms, direction, line };
    }
  }
  throw new RecordingError(`line ${number} of the recording lacks ms, direction or line`, number);
}

import type { Tap, Direction } from "./tap.ts";
import { isJsonObject } from "./frames.ts";
import { redactLine } from "./redact.ts";

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
 * `write` gets each line with its newline; buffering and closing are its owner's.
 */
export function recorder(write: (text: string) => void, options: RecorderOptions = {}): Tap {
  const clean = options.keepSecrets === true ? (line: string) => line : redactLine;
  let startedAt: number | undefined;
  return ({ at, direction, line }) => {
    if (startedAt === undefined) {
      startedAt = at;
      const header: RecordingHeader = {
        recording: "dragoman",
        version: RECORDING_VERSION,
        startedAt: new Date(at).toISOString(),
        redacted: options.keepSecrets !== true,
      };
      write(`${JSON.stringify(header)}\n`);
    }
    const entry: RecordedLine = { ms: at - startedAt, direction, line: clean(line) };
    write(`${JSON.stringify(entry)}\n`);
  };
}

export interface Recording {
  readonly header: RecordingHeader;
  readonly lines: readonly RecordedLine[];
}

/** Reads a recording back. Throws an error that names the line which is wrong. */
export function parseRecording(text: string): Recording {
  const [first, ...rest] = text.split("\n").filter((line) => line.trim() !== "");
  if (first === undefined) throw new Error("the recording is empty");
  const header = parseHeader(parseJson(first, 1));
  return {
    header,
    lines: rest.map((line, index) => parseEntry(parseJson(line, index + 2), index + 2)),
  };
}

function parseJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`line ${number} of the recording is not JSON`);
  }
}

function parseHeader(value: unknown): RecordingHeader {
  if (
    !isJsonObject(value) ||
    value["recording"] !== "dragoman" ||
    typeof value["version"] !== "number"
  ) {
    throw new Error("this is not a recording: its first line lacks the header");
  }
  if (value["version"] > RECORDING_VERSION) {
    throw new Error(
      `the recording has version ${value["version"]}; this program reads up to version ${RECORDING_VERSION}`,
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
  throw new Error(`line ${number} of the recording lacks ms, direction or line`);
}

import { isJsonObject } from "../lines/frames.ts";
import { callSafely } from "../async.ts";
import { createRedactor } from "./redact.ts";
import type { Direction, Tap } from "./tap.ts";

/** The version of the recording format. Readers reject a newer version. */
export const RECORDING_VERSION = 1;

/** The first line of a recording. */
export interface RecordingHeader {
  readonly recording: "dragoman";
  /** The version of the format. */
  readonly version: number;
  /** When the recording started, in ISO 8601. */
  readonly startedAt: string;
  /** Whether secrets were removed. */
  readonly redacted: boolean;
}

/** Every other line: one line from the wire, with the milliseconds since the recording started. */
export interface RecordedLine {
  /** Milliseconds since the recording started. */
  readonly ms: number;
  /** Whether the line was received or sent. */
  readonly direction: Direction;
  /** The line, without its newline. */
  readonly line: string;
}

/** Options of a recorder. */
export interface RecorderOptions {
  /** Keep secrets (env values, headers, tokens, keys) in the recording. Default: false. */
  readonly keepSecrets?: boolean | undefined;
  /** Values to redact wherever they appear, also inside JSON strings. Default: none. */
  readonly secrets?: readonly string[] | undefined;
}

/**
 * Creates a tap that writes a header and then every line as JSON lines, with secrets redacted.
 *
 * `write` receives each line with its newline. The caller handles buffering, closing and write
 * errors: if `write` fails, the connection carries on.
 */
export function recorder(write: (text: string) => void, options: RecorderOptions = {}): Tap {
  const clean =
    options.keepSecrets === true ? (line: string) => line : createRedactor(options.secrets).line;
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

/** A recording in memory. */
export interface Recording {
  /** The first line. */
  readonly header: RecordingHeader;
  /** All other lines, in order. */
  readonly lines: readonly RecordedLine[];
}

/** The text is not a recording, or its version is too new for this program. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
  /** The number of the invalid line, counted from 1; undefined if the text is empty. */
  readonly line: number | undefined;

  /** Describes a fault, and the line it is in. */
  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** Parses a recording. Throws {@link RecordingError}, which names the invalid line. */
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
    throw new RecordingError(
      "this is not a recording: its first line is not a recording header",
      number,
    );
  }
  if (value["version"] > RECORDING_VERSION) {
    throw new RecordingError(
      `the recording has version ${value["version"]}, but this program reads only up to version ${RECORDING_VERSION}`,
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
  throw new RecordingError(
    `line ${number} of the recording has no valid ms, direction or line`,
    number,
  );
}

import {
  DragomanError,
  definedFields,
  isJsonObject,
  type JsonObject,
  numberField,
  objectField,
  stringField,
  stringsField,
} from "../../../base/index.ts";
import type { Direction } from "./tap.ts";

/** The version of the recording format. Readers reject a newer version. */
export const RECORDING_VERSION = 2;

/** The agent of a recording. */
export interface RecordedAgent {
  /** The name that the user knows it by. */
  readonly name: string;
  /** The command and its arguments, or the address; secrets are removed. */
  readonly command: readonly string[];
}

/** The client of a recording. */
export interface RecordedClient {
  readonly name: string;
  /** Its version. */
  readonly version?: string | undefined;
}

/** The first line of a recording. */
export interface RecordingHeader {
  readonly recording: "dragoman";
  /** The version of the format. */
  readonly version: number;
  /** When the recording started, in ISO 8601. */
  readonly startedAt: string;
  /** Whether secrets were removed. */
  readonly redacted: boolean;
  /** The agent, if the recording names it. Since version 2. */
  readonly agent?: RecordedAgent | undefined;
  /** The client, if the recording names it. Since version 2. */
  readonly client?: RecordedClient | undefined;
  /** The working directory of the run, if the recording names it. Since version 2. */
  readonly cwd?: string | undefined;
}

/** One line from the wire, with the milliseconds since the recording started. */
export interface RecordedLine {
  /** Milliseconds since the recording started, on a clock that never goes back. */
  readonly ms: number;
  /** Whether the client received or sent the line. */
  readonly direction: Direction;
  /** The line, without its newline. */
  readonly line: string;
}

/** A decision about a request of the agent, and its reason. */
export interface RecordedDecision {
  readonly toolCallId?: string | undefined;
  /** The subject of the request in plain words. */
  readonly what: string;
  /** The kind of the tool call. */
  readonly kind?: string | undefined;
  /** The decision. */
  readonly outcome: "allowed" | "denied" | "cancelled";
  readonly optionId?: string | undefined;
  /** Who decided: `flag`, `rule`, `default`, `user`, or another word. */
  readonly by: string;
  /** The flag that would have allowed it, or another reason. */
  readonly hint?: string | undefined;
  /** The question in the agent's words. */
  readonly question?: string | undefined;
  readonly description?: string | undefined;
}

/** Something that happened besides the lines on the wire. Since version 2. */
export type RecordedEvent = {
  /** Milliseconds since the recording started, on a clock that never goes back. */
  readonly ms: number;
} & (
  | {
      readonly event: "stderr";
      readonly text: string;
    }
  | {
      readonly event: "exit";
      /** The exit code; null if a signal ended the process or the code is unknown. */
      readonly code: number | null;
      /** The signal that ended the process. */
      readonly signal: string | null;
    }
  | ({ readonly event: "permission" } & RecordedDecision)
  | {
      readonly event: "note";
      readonly text: string;
    }
  | {
      /** An event of a newer version. Players skip it. */
      readonly event: "unknown";
      readonly raw: JsonObject;
    }
);

/** Any line of a recording after the first. */
export type RecordingEntry = RecordedLine | RecordedEvent;

/** The text is not a recording, or its version is too new for this program. */
export class RecordingError extends DragomanError {
  override readonly name = "RecordingError";
  /** The number of the invalid line, counted from 1; undefined if the text is empty. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super("invalid_argument", message);
    this.line = line;
  }
}

/** Whether an entry is a line from the wire. */
export function isRecordedLine(entry: RecordingEntry): entry is RecordedLine {
  return "line" in entry;
}

/** Reads the first line of a recording. Throws a {@link RecordingError}. */
export function toRecordingHeader(value: unknown, number: number): RecordingHeader {
  if (!isRecordingHeader(value)) {
    throw new RecordingError(
      "this is not a recording: its first line is not a recording header",
      number,
    );
  }
  const { version } = value;
  if (version > RECORDING_VERSION) {
    throw new RecordingError(
      `the recording has version ${version}, but this program reads only up to version ${RECORDING_VERSION}`,
      number,
    );
  }
  const agent = objectField(value, "agent");
  const client = objectField(value, "client");
  const cwd = stringField(value, "cwd");
  return {
    recording: "dragoman",
    version,
    startedAt: String(value["startedAt"]),
    redacted: value["redacted"] === true,
    ...definedFields({ agent: agent && toAgent(agent), client: client && toClient(client), cwd }),
  };
}

/** Whether a value is the first line of a recording, of any version. */
export function isRecordingHeader(
  value: unknown,
): value is JsonObject & { readonly version: number } {
  return (
    isJsonObject(value) && value["recording"] === "dragoman" && typeof value["version"] === "number"
  );
}

function toAgent(value: JsonObject): RecordedAgent {
  return { name: stringField(value, "name") ?? "", command: stringsField(value, "command") };
}

function toClient(value: JsonObject): RecordedClient {
  const name = stringField(value, "name") ?? "";
  return { name, ...definedFields({ version: stringField(value, "version") }) };
}

/** Reads any other line. Throws a {@link RecordingError}. */
export function toRecordingEntry(value: unknown, number: number): RecordingEntry {
  if (isJsonObject(value)) {
    const { ms, direction, line, event } = value;
    if (typeof ms === "number") {
      if (typeof line === "string" && (direction === "in" || direction === "out"))
        return { ms, direction, line };
      if (typeof event === "string") return toEvent(ms, event, value);
    }
  }
  throw new RecordingError(
    `line ${number} of the recording has no valid ms, direction or line, and is not an event`,
    number,
  );
}

/** An event with missing fields reads like one of a newer version: it is kept, and players skip it. */
function toEvent(ms: number, event: string, value: JsonObject): RecordedEvent {
  const text = stringField(value, "text");
  switch (event) {
    case "stderr":
    case "note":
      if (text !== undefined) return { ms, event, text };
      break;
    case "exit":
      return {
        ms,
        event,
        code: numberField(value, "code") ?? null,
        signal: stringField(value, "signal") ?? null,
      };
    case "permission": {
      const decision = toDecision(value);
      if (decision) return { ms, event, ...decision };
      break;
    }
    default:
  }
  return { ms, event: "unknown", raw: value };
}

const OPTIONAL = ["toolCallId", "kind", "optionId", "hint", "question", "description"] as const;

function toDecision(value: JsonObject): RecordedDecision | undefined {
  const { what, outcome, by } = value;
  if (typeof what !== "string" || typeof by !== "string") return undefined;
  if (outcome !== "allowed" && outcome !== "denied" && outcome !== "cancelled") return undefined;
  const fields = OPTIONAL.map((key) => [key, stringField(value, key)] as const);
  return { ...definedFields(Object.fromEntries(fields)), what, outcome, by };
}

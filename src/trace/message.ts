import {
  asObject,
  decodeLine,
  isJsonObject,
  type JsonObject,
  parseFrame,
  stringField,
} from "../wire/index.ts";

/** The kinds of frames, in the order of their numbers. */
export const FRAME_KINDS = [
  "request",
  "response",
  "error",
  "notification",
  /** A line that is not JSON. */
  "noise",
  /** A list of messages, which ACP does not allow. */
  "batch",
  /** A JSON value that is not a message. */
  "other",
] as const;

/** The kind of a line on the wire. An `error` is a response with an error. */
export type FrameKind = (typeof FRAME_KINDS)[number];

/** The parts of a message that the model uses. */
export interface ReadMessage {
  readonly kind: FrameKind;
  readonly method: string;
  /** The id as a text that tells numbers from strings; empty without one. */
  readonly idKey: string;
  readonly params: JsonObject;
  readonly result: JsonObject;
  readonly error: JsonObject | undefined;
  /** The whole message; undefined for noise and batches. */
  readonly frame: JsonObject | undefined;
}

const NOTHING: JsonObject = {};
const NOISE: ReadMessage = {
  kind: "noise",
  method: "",
  idKey: "",
  params: NOTHING,
  result: NOTHING,
  error: undefined,
  frame: undefined,
};
const BATCH: ReadMessage = { ...NOISE, kind: "batch" };
const OTHER: ReadMessage = { ...NOISE, kind: "other" };

/** Reads a line. Never throws. */
export function readMessage(line: string): ReadMessage {
  const frame = parseFrame(line);
  if (frame) return messageOf(frame);
  const decoded = decodeLine(line);
  switch (decoded.kind) {
    case "frame":
      return messageOf(decoded.frame);
    case "batch":
      return BATCH;
    case "noise":
      return decoded.isJson ? OTHER : NOISE;
  }
}

function messageOf(frame: JsonObject): ReadMessage {
  const { method, id, params, result, error } = frame;
  const hasId = id !== undefined;
  const shared = {
    idKey: idKeyOf(id),
    params: asObject(params),
    result: asObject(result),
    error: undefined,
    frame,
  };
  if (typeof method === "string")
    return { ...shared, kind: hasId ? "request" : "notification", method };
  if (!hasId) return { ...shared, kind: "other", method: "" };
  if (error !== undefined) return { ...shared, kind: "error", method: "", error: asObject(error) };
  return { ...shared, kind: "result" in frame ? "response" : "other", method: "" };
}

/** A number and a string of the same digits are different ids. */
function idKeyOf(id: unknown): string {
  if (typeof id === "string") return JSON.stringify(id);
  return typeof id === "number" ? String(id) : id === null ? "null" : "";
}

/** The session of a message: of its params, or of the update inside a proxied one. */
export function sessionIdOf({ params }: ReadMessage): string | undefined {
  return stringField(params, "sessionId");
}

/** The update of a `session/update`; undefined if it has none. */
export function updateOf({ method, params }: ReadMessage): JsonObject | undefined {
  if (method !== "session/update") return undefined;
  const { update } = params;
  return isJsonObject(update) ? update : undefined;
}

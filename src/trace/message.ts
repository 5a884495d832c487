import {
  asObject,
  decodeLine,
  type Decoded,
  isJsonObject,
  type JsonObject,
  MAX_FRAME_DEPTH,
  parseJsonObject,
} from "../base/index.ts";

/** The meaning of a line, apart from violations that leave no doubt about it. */
export type WireMessage =
  | {
      readonly kind: "request";
      readonly id: unknown;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "result"; readonly id: unknown; readonly result: unknown }
  | { readonly kind: "error"; readonly id: unknown; readonly error: unknown }
  | NoMessage;

interface NoMessage {
  readonly kind: "none";
  /** Not JSON, a list of messages, or another JSON value. */
  readonly form: "noise" | "batch" | "other";
  /** Completes the sentence "a line that ...". */
  readonly problem: string;
}

export interface WireLine {
  /** The JSON value; undefined if the line is not JSON. */
  readonly value: unknown;
  readonly message: WireMessage;
  /** Stray text before the message, such as progress output without its newline. Usually empty. */
  readonly skipped: string;
}

export function readWireMessage(line: string): WireMessage {
  return readWireLine(line).message;
}

export function readWireLine(line: string): WireLine {
  const frame = parseJsonObject(line);
  if (frame) return { value: frame, message: messageOf(frame), skipped: "" };
  const decoded = decodeLine(line);
  switch (decoded.kind) {
    case "frame":
      return {
        value: decoded.frame,
        message: messageOf(decoded.frame),
        skipped: decoded.skipped,
      };
    case "batch":
      return { value: decoded.frames, message: none("batch", NO_OBJECT), skipped: "" };
    case "noise":
      return { value: undefined, message: noise(decoded), skipped: "" };
  }
}

const NO_OBJECT = "is not a JSON object";

function none(form: NoMessage["form"], problem: string): NoMessage {
  return { kind: "none", form, problem };
}

function noise(decoded: Extract<Decoded, { readonly kind: "noise" }>): NoMessage {
  const form = decoded.isJson ? "other" : "noise";
  // Judges recurse into values, so a hostile depth would overflow their stack.
  if (decoded.tooDeep) return none(form, `is nested deeper than ${MAX_FRAME_DEPTH} levels`);
  return none(form, decoded.isJson ? NO_OBJECT : "is not JSON");
}

function messageOf(value: JsonObject): WireMessage {
  const { method, params } = value;
  const hasId = "id" in value;
  if (typeof method === "string") {
    return hasId
      ? { kind: "request", id: value["id"], method, params }
      : { kind: "notification", method, params };
  }
  if (method !== undefined) return none("other", "has a method that is not a string");
  if (!hasId) return none("other", "has neither a method nor an id");
  if ("error" in value) return { kind: "error", id: value["id"], error: value["error"] };
  if ("result" in value) return { kind: "result", id: value["id"], result: value["result"] };
  return none("other", "has an id, but no method, result or error");
}

/** A key for an id that keeps `7` and `"7"` apart. */
export function wireIdKey(id: unknown): string {
  return JSON.stringify(id) ?? "undefined";
}

/** The method of a request or notification; otherwise empty. */
export function methodOf(message: WireMessage): string {
  return "method" in message ? message.method : "";
}

/** The params of a request or notification; empty for other messages, and if they are no object. */
export function paramsOf(message: WireMessage): JsonObject {
  return "params" in message ? asObject(message.params) : NOTHING;
}

/** The result of a response; empty for other messages, and if it is no object. */
export function resultOf(message: WireMessage): JsonObject {
  return message.kind === "result" ? asObject(message.result) : NOTHING;
}

/** The error of a response; empty for other messages, and if it is no object. */
export function errorOf(message: WireMessage): JsonObject {
  return message.kind === "error" ? asObject(message.error) : NOTHING;
}

const NOTHING: JsonObject = {};

/** The update of a `session/update`; undefined if it has none. */
export function updateOf(message: WireMessage): JsonObject | undefined {
  if (methodOf(message) !== "session/update") return undefined;
  const { update } = paramsOf(message);
  return isJsonObject(update) ? update : undefined;
}

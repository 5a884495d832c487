import {
  decodeLine,
  isJsonObject,
  MAX_FRAME_DEPTH,
  type Decoded,
  type JsonObject,
} from "../../wire/index.ts";
import type { CheckedSide } from "../requirement.ts";

/** One line of a connection, as a judge sees it. */
export interface WireFrame {
  /** Its position on the connection, both directions counted together, from 1. */
  readonly n: number;
  /** When it was seen, in milliseconds of any clock that does not go back. */
  readonly time: number;
  /** The side that wrote it. */
  readonly from: CheckedSide;
  /** Without its newline. */
  readonly line: string;
  /** Set if its bytes were not valid UTF-8. */
  readonly isNotUtf8?: boolean | undefined;
}

/** The meaning of a line. `problem`: why it is not a JSON-RPC message. */
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
  | { readonly kind: "none"; readonly problem: string };

/** A line with its JSON value; the value is undefined if the line is not JSON. */
export interface ReadFrame extends WireFrame {
  readonly value: unknown;
  readonly message: WireMessage;
}

/** Reads a line. Faults that leave no doubt about the meaning are for the judges. */
export function readFrame(frame: WireFrame): ReadFrame {
  const decoded = decodeLine(frame.line);
  if (decoded.kind === "frame" && decoded.skipped === "")
    return { ...frame, value: decoded.frame, message: messageOf(decoded.frame) };
  if (decoded.kind === "batch")
    return { ...frame, value: decoded.frames, message: { kind: "none", problem: NO_OBJECT } };
  return { ...frame, value: undefined, message: { kind: "none", problem: problemOf(decoded) } };
}

const NO_OBJECT = "is not a JSON object";

function problemOf(decoded: Decoded): string {
  if (decoded.kind !== "noise") return "is not JSON";
  // Judges recurse into values, so a hostile depth would overflow their stack.
  if (decoded.tooDeep) return `is nested deeper than ${MAX_FRAME_DEPTH} levels`;
  return decoded.isJson ? NO_OBJECT : "is not JSON";
}

function messageOf(value: JsonObject): WireMessage {
  const { method } = value;
  if (method !== undefined) {
    if (typeof method !== "string")
      return { kind: "none", problem: "has a method that is not a string" };
    if (!("id" in value)) return { kind: "notification", method, params: value["params"] };
    return { kind: "request", id: value["id"], method, params: value["params"] };
  }
  return responseOf(value);
}

function responseOf(value: JsonObject): WireMessage {
  if (!("id" in value)) return { kind: "none", problem: "has neither a method nor an id" };
  if ("error" in value) return { kind: "error", id: value["id"], error: value["error"] };
  if ("result" in value) return { kind: "result", id: value["id"], result: value["result"] };
  return { kind: "none", problem: "has an id, but no method, result or error" };
}

/** A key for an id that keeps `7` and `"7"` apart. */
export function idKey(id: unknown): string {
  return JSON.stringify(id) ?? "undefined";
}

/** Members that JSON-RPC allows in a message. */
const MEMBERS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "jsonrpc",
  "id",
  "method",
  "params",
  "result",
  "error",
]);

/** The members of a message that JSON-RPC does not have. */
export function unknownMembers(value: unknown): readonly string[] {
  return isJsonObject(value) ? Object.keys(value).filter((key) => !MEMBERS.has(key)) : [];
}

/** Whether a value says that it is JSON-RPC 2.0. */
export function isJsonRpc(value: unknown): boolean {
  return isJsonObject(value) && value["jsonrpc"] === "2.0";
}

import { SEQ_META } from "../../../client/index.ts";
import { type ErrorObject, RpcCode } from "../../../transport/rpc/index.ts";
import { isJsonObject, parseJsonObject } from "../../../base/index.ts";
import { hubErrorObject } from "../errors.ts";

/** A part of a text: the index of its first character, and the index after its last one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Finds a member of the object at or after `from` in valid JSON. The last one counts, as in `JSON.parse`. */
export function memberSpan(text: string, key: string, from = 0): Span | undefined {
  let found: Span | undefined;
  let at = skipSpace(text, text.indexOf("{", from) + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = stringEnd(text, at);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    if (isKey(text.slice(at, keyEnd), key)) found = { start, end };
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return found;
}

/** The number of keys in a text of valid JSON, at all depths. A repeated key counts each time. */
export function jsonKeyCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
    } else {
      if (code === COLON) count++;
      at++;
    }
  }
  return count;
}

export function spliceText(text: string, { start, end }: Span, part: string): string {
  return text.slice(0, start) + part + text.slice(end);
}

function isKey(quoted: string, key: string): boolean {
  if (!quoted.includes("\\")) return quoted.slice(1, -1) === key;
  return JSON.parse(quoted) === key;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code <= 0x20; code = text.charCodeAt(at)) at++;
  return at;
}

/** The index after the closing quote of the string that starts at `from`. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    at++;
    if (slashes % 2 === 0) return at;
  }
}

function valueEnd(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from);
  if (first !== "{" && first !== "[") return scalarEnd(text, from);
  let depth = 0;
  for (let at = from; at < text.length;) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      continue;
    }
    at++;
    if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at;
  }
  return text.length;
}

function scalarEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !/[\s,}\]]/.test(text.charAt(at))) at++;
  return at;
}

/** A `$/cancel_request`, and the request that it withdraws. */
export interface CancelRequest {
  readonly line: string;
  /** The id of the request, as it stands in the line. */
  readonly requestId: string;
  readonly span: Span;
}

/** Reads a `$/cancel_request`. Returns undefined if it names no request. */
export function readCancel(line: string): CancelRequest | undefined {
  const params = memberSpan(line, "params");
  if (!params || line[params.start] !== "{") return undefined;
  const span = memberSpan(line, "requestId", params.start);
  return span && { line, requestId: line.slice(span.start, span.end), span };
}

/** The same notification for a request that the other side knows by another id. */
export function withRequestId({ line, span }: CancelRequest, requestId: string): string {
  return spliceText(line, span, requestId);
}

/** Sets the position in the `_meta` of a notification's parameters. Everything else stays as it is. */
export function withSeq(line: string, seq: number): string {
  const member = `${JSON.stringify(SEQ_META)}:${seq}`;
  const params = memberSpan(line, "params");
  if (!params || line[params.start] !== "{") return line;
  const meta = memberSpan(line, "_meta", params.start);
  if (meta && line[meta.start] === "{") {
    const other = memberSpan(line, SEQ_META, meta.start);
    return other ? spliceText(line, other, String(seq)) : insertMember(line, meta.start, member);
  }
  const whole = `"_meta":{${member}}`;
  return meta ? spliceText(line, meta, `{${member}}`) : insertMember(line, params.start, whole);
}

function insertMember(line: string, at: number, member: string): string {
  const isEmpty = /^\{\s*\}/.test(line.slice(at, at + 64));
  return spliceText(line, { start: at + 1, end: at + 1 }, isEmpty ? member : `${member},`);
}

export function asksForSeq(initialize: string): boolean {
  return metaFlag(initialize, SEQ_META);
}

/** Whether a flag is set in the `_meta` of a request's parameters. */
export function metaFlag(line: string, key: string): boolean {
  const params = parseJsonObject(line)?.["params"];
  return valueAt(valueAt(params, "_meta"), key) === true;
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

/** A response with a result. `id` is the id as it stands in the request. */
export function resultLine(id: string, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result ?? null)}}`;
}

export function errorLine(id: string, error: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(hubErrorObject(error))}}`;
}

export function requestLine(id: number, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

export function notificationLine(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

/** The result or the error in the line of a response. */
export function answerInLine(line: string): {
  readonly result?: unknown;
  readonly error?: ErrorObject;
} {
  const { result, error } = parseJsonObject(line) ?? {};
  if (!isJsonObject(error)) return { result };
  const { code, message, data } = error;
  return {
    error: {
      code: typeof code === "number" ? code : RpcCode.internalError,
      message: typeof message === "string" ? message : "Error",
      data,
    },
  };
}

/** The notification that withdraws a request. */
export function cancelLine(requestId: string): string {
  return `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${requestId}}}`;
}

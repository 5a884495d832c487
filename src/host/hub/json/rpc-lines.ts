import { SEQ_META } from "../../../client/index.ts";
import { type ErrorObject, RpcCode, RpcError } from "../../../transport/rpc/index.ts";
import { isJsonObject, parseJsonObject, asObject, type JsonObject } from "../../../base/index.ts";
import { hubErrorObject } from "../errors.ts";
import { type Span, memberSpan, spliceText } from "./json-text.ts";

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

/** The result in the line of a response. Throws the RpcError that the agent answered with. */
export function resultInLine(line: string): JsonObject {
  const { result, error } = answerInLine(line);
  if (error) throw new RpcError(error.code, error.message, error.data);
  return asObject(result);
}

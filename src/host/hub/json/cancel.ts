import { memberSpan, type Span, splice } from "./span.ts";

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
  return splice(line, span, requestId);
}

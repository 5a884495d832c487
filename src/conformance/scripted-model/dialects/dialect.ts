import type { Reply, WireItem } from "../reply.ts";
import type { ModelApi } from "../request.ts";

/** The values that a reply repeats from the request or invents. */
export interface ReplyContext {
  readonly id: string;
  readonly model: string;
}

/** One model API: pure functions of the planned reply. */
export interface Dialect {
  readonly name: ModelApi;
  /** The reply as server-sent events. */
  stream(reply: Reply, context: ReplyContext): WireItem[];
  /** The reply as one JSON body. */
  whole(reply: Reply, context: ReplyContext): unknown;
  errorBody(status: number): unknown;
}

export function sse(data: unknown, event?: string): string {
  const line = typeof data === "string" ? data : JSON.stringify(data);
  return event === undefined ? `data: ${line}\n\n` : `event: ${event}\ndata: ${line}\n\n`;
}

export function dialectErrorText(status: number): string {
  return `scripted error ${status}`;
}

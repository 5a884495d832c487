import { isJsonObject } from "../../wire/index.ts";
import { Unmet } from "./errors.ts";

/** The end of one request of the checker. `n` is the position of the response. */
export type CallReply =
  | { readonly kind: "result"; readonly result: unknown; readonly n: number; readonly ms: number }
  | {
      readonly kind: "error";
      /** NaN if the code is not a number. */
      readonly code: number;
      readonly message: string;
      readonly error: unknown;
      readonly n: number;
      readonly ms: number;
    }
  /** No response within the limit. */
  | { readonly kind: "silent"; readonly ms: number }
  /** The connection ended before the response. */
  | { readonly kind: "ended"; readonly how: string; readonly error?: Error | undefined };

/** The code that asks for a sign-in. */
export const AUTH_REQUIRED = -32000;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;

const SHOWN_CHARS = 200;

/** Describes a reply for a report, such as `error -32601 (method not found)`. */
export function describeReply(reply: CallReply): string {
  switch (reply.kind) {
    case "result":
      return `result ${shown(reply.result)}`;
    case "error":
      return `error ${Number.isNaN(reply.code) ? shown(reply.error) : `${reply.code} (${reply.message})`}`;
    case "silent":
      return `no response within ${Math.round(reply.ms)} ms`;
    case "ended":
      return `no response: the agent ${reply.how}`;
  }
}

/** A value as JSON, cut. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

/** Whether the request was answered, with a result or an error. */
export function isAnswered(reply: CallReply): reply is CallReply & { readonly n: number } {
  return reply.kind === "result" || reply.kind === "error";
}

/** The result as an object, or throws {@link Unmet}: the case cannot go on without it. */
export function needResult(reply: CallReply, what: string): Readonly<Record<string, unknown>> {
  if (reply.kind === "result") return isJsonObject(reply.result) ? reply.result : {};
  const isAuthentication = reply.kind === "error" && reply.code === AUTH_REQUIRED;
  throw new Unmet(`${what}: ${describeReply(reply)}`, isAuthentication);
}

import { isJsonObject, type JsonObject } from "../../../base/index.ts";
import type { EvidenceFrame } from "../check-report.ts";
import { Unmet } from "./errors.ts";

interface Ended {
  /** The request and its response, as far as they are there. */
  readonly frames: readonly EvidenceFrame[];
}

interface Answered extends Ended {
  /** The position of the response. */
  readonly n: number;
  readonly ms: number;
}

/** The end of one request of the checker. */
export type CallReply =
  | (Answered & { readonly kind: "result"; readonly result: unknown })
  | (Answered & {
      readonly kind: "error";
      /** NaN if the code is not a number. */
      readonly code: number;
      readonly message: string;
      readonly error: unknown;
    })
  /** No response within the limit. */
  | (Ended & { readonly kind: "silent"; readonly ms: number })
  /** The connection ended before the response. */
  | (Ended & { readonly kind: "ended"; readonly how: string; readonly error?: Error | undefined });

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
      return `no response: it ${reply.how}`;
  }
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

export function isAnswered(reply: CallReply): reply is CallReply & { readonly n: number } {
  return reply.kind === "result" || reply.kind === "error";
}

export function isError(reply: CallReply, code: number): boolean {
  return reply.kind === "error" && reply.code === code;
}

/** The result as an object; empty if there is none. */
export function resultOf(reply: CallReply): JsonObject {
  return reply.kind === "result" && isJsonObject(reply.result) ? reply.result : {};
}

/** The result as an object, or throws {@link Unmet}: the case cannot go on without it. */
export function needResult(reply: CallReply, what: string): JsonObject {
  if (reply.kind === "result") return resultOf(reply);
  throw new Unmet(`${what}: ${describeReply(reply)}`, isError(reply, AUTH_REQUIRED));
}

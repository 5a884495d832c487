import { deferred, type Deferred } from "../../base/index.ts";
import type { ScriptedCall } from "./request.ts";

export interface Pacing {
  /** How many deltas the text is cut into. */
  readonly chunks?: number;
  /** A pause before each delta, which simulates a slow model. To wait for an event, use `hang()` instead. */
  readonly delayMs?: number;
}

export interface ToolCallPart {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text, as sent over the wire. */
  readonly argumentsText: string;
  readonly chunks: number;
}

export interface HttpErrorPart {
  readonly type: "http_error";
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A point in a reply where the server waits for the test, and where the test can wait for the server. */
export interface Gate {
  readonly arrived: Deferred<ScriptedCall>;
  readonly released: Deferred<void>;
}

export interface HangPart {
  readonly type: "hang";
  readonly gate: Gate;
  /** Resolves with the call once the server has sent everything before the hang. */
  readonly arrived: Promise<ScriptedCall>;
  /** Lets the server send the rest of the step. */
  release(): void;
}

export type FinishReason = "stop" | "tool_calls" | "length" | "filtered";

export interface ReplyUsage {
  /** All input tokens, including those read from the cache. */
  readonly input: number;
  readonly cachedInput: number;
  /** All output tokens, including reasoning. */
  readonly output: number;
  readonly reasoning: number;
}

export type ScriptPart =
  | (Pacing & { readonly type: "text" | "thinking"; readonly text: string })
  | ToolCallPart
  | HttpErrorPart
  | HangPart
  | { readonly type: "broken_stream"; readonly afterChunks: number | undefined }
  | { readonly type: "finish"; readonly reason: FinishReason }
  | { readonly type: "usage"; readonly usage: ReplyUsage };

/** The answer of the model to one call. Several parts are sent in order. */
export type Step = ScriptPart | readonly ScriptPart[];

export type ScriptEntry = Step | ((call: ScriptedCall) => Step | Promise<Step>);

export const defaultUsage: ReplyUsage = { input: 1000, cachedInput: 100, output: 50, reasoning: 0 };

export function text(value: string, pacing: Pacing = {}): ScriptPart {
  return { type: "text", text: value, ...pacing };
}

export function thinking(value: string, pacing: Pacing = {}): ScriptPart {
  return { type: "thinking", text: value, ...pacing };
}

let toolCalls = 0;

/**
 * The id is assigned here and not by the server, so that a test knows it before the call, and so that it stays unique
 * when a session is reloaded with another server. Pass `input` as a string to send it verbatim, for arguments that
 * are not valid JSON. `chunks`: how many deltas the arguments are streamed in.
 */
export function toolCall(
  name: string,
  input: unknown = {},
  { id, chunks = 1 }: { readonly id?: string; readonly chunks?: number } = {},
): ToolCallPart {
  toolCalls += 1;
  return {
    type: "tool_call",
    id: id ?? `call_${toolCalls}`,
    name,
    argumentsText: typeof input === "string" ? input : JSON.stringify(input),
    chunks,
  };
}

/** Without a body, the server sends the error envelope of the request's dialect. */
export function httpError(
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpErrorPart {
  return { type: "http_error", status, body, headers };
}

/**
 * Breaks the connection without ending the stream: at this point in the step, or, with a number, after that many
 * content deltas of the whole step.
 */
export function brokenStream(afterChunks?: number): ScriptPart {
  return { type: "broken_stream", afterChunks };
}

/** Pauses the reply until the test releases it. At the start of a step, even the HTTP headers wait. */
export function hang(): HangPart {
  const gate: Gate = { arrived: deferred(), released: deferred() };
  return { type: "hang", gate, arrived: gate.arrived.promise, release: gate.released.resolve };
}

/** Ends the reply with another reason than the one that its parts imply. */
export function finish(reason: FinishReason): ScriptPart {
  return { type: "finish", reason };
}

export function usage(numbers: Partial<ReplyUsage>): ScriptPart {
  return { type: "usage", usage: { ...defaultUsage, ...numbers } };
}

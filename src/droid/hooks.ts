import type { DroidVersion } from "./protocol/versions.ts";
import type { DroidTurnResult } from "./turn/turn.ts";
import { callSafely } from "../base/index.ts";
import type { DroidEvent } from "./turn/events.ts";

/** A turn that starts. */
export interface TurnStartInfo {
  readonly turnId: string;
  readonly sessionId: string;
  readonly model: string | undefined;
  readonly version: DroidVersion;
}

/** A turn that is over. */
export interface TurnEndInfo extends TurnStartInfo {
  /** The result of the turn without its content; undefined if it failed with `error`. */
  readonly result: Omit<DroidTurnResult, "text" | "finalMessage" | "structuredOutput"> | undefined;
  /** The error that `result` of the turn rejects with. */
  readonly error: Error | undefined;
  readonly durationMs: number;
}

/** A tool call that starts. */
interface ToolStartInfo {
  readonly turnId: string;
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly name: string;
}

/** A tool call that is over. */
export interface ToolEndInfo extends ToolStartInfo {
  /** `ok`, `failed`, or `unfinished` if the turn ended before the call. */
  readonly outcome: "ok" | "failed" | "unfinished";
  /** How long the call took, from its announcement on. It includes the wait for permission. */
  readonly durationMs: number;
}

/**
 * Callbacks for observability. They get ids, names and numbers, but no content: no prompts, answers,
 * or inputs of tools. They are called synchronously, so keep them short. Errors that they throw are
 * ignored.
 */
export interface DroidHooks {
  /** A prompt is about to be sent to Droid. */
  readonly onTurnStart?: ((info: TurnStartInfo) => void) | undefined;
  /** The turn is over, after the ends of all its tool calls. Called once for each start. */
  readonly onTurnEnd?: ((info: TurnEndInfo) => void) | undefined;
  /** The model calls a tool. */
  readonly onToolStart?: ((info: ToolStartInfo) => void) | undefined;
  /** A tool call is over. Called once for each start. */
  readonly onToolEnd?: ((info: ToolEndInfo) => void) | undefined;
}

/** Calls the hooks of several observers, in order. */
export function combinedHooks(...all: readonly DroidHooks[]): DroidHooks {
  return {
    onTurnStart: (info) => all.forEach(({ onTurnStart }) => onTurnStart?.(info)),
    onTurnEnd: (info) => all.forEach(({ onTurnEnd }) => onTurnEnd?.(info)),
    onToolStart: (info) => all.forEach(({ onToolStart }) => onToolStart?.(info)),
    onToolEnd: (info) => all.forEach(({ onToolEnd }) => onToolEnd?.(info)),
  };
}

interface OpenCall {
  readonly info: ToolStartInfo;
  readonly startedAt: number;
}

/** Calls the hooks for one turn and its tool calls. */
export class ObservedTurn {
  readonly #hooks: DroidHooks;
  readonly #info: TurnStartInfo;
  readonly #startedAt = performance.now();
  readonly #calls = new Map<string, OpenCall>();

  constructor(hooks: DroidHooks, info: TurnStartInfo) {
    this.#hooks = hooks;
    this.#info = info;
    callSafely(() => hooks.onTurnStart?.(info));
  }

  event(event: DroidEvent): void {
    if (event.type === "tool_call") this.#start(event.id, event.name);
    else if (event.type === "tool_result") this.#end(event.id, event.isError ? "failed" : "ok");
  }

  end(outcome: NonNullable<TurnEndInfo["result"]> | Error): void {
    for (const id of this.#calls.keys()) this.#end(id, "unfinished");
    const failed = outcome instanceof Error;
    const info = {
      ...this.#info,
      result: failed ? undefined : outcome,
      error: failed ? outcome : undefined,
      durationMs: performance.now() - this.#startedAt,
    };
    callSafely(() => this.#hooks.onTurnEnd?.(info));
  }

  /** A tool call is announced several times. */
  #start(toolCallId: string, name: string): void {
    if (this.#calls.has(toolCallId)) return;
    const { turnId, sessionId } = this.#info;
    const info = { turnId, sessionId, toolCallId, name };
    this.#calls.set(toolCallId, { info, startedAt: performance.now() });
    callSafely(() => this.#hooks.onToolStart?.(info));
  }

  #end(toolCallId: string, outcome: ToolEndInfo["outcome"]): void {
    const call = this.#calls.get(toolCallId);
    if (!call) return;
    this.#calls.delete(toolCallId);
    const durationMs = performance.now() - call.startedAt;
    callSafely(() => this.#hooks.onToolEnd?.({ ...call.info, outcome, durationMs }));
  }
}

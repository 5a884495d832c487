import { callSafely } from "../../base/index.ts";
import type { DroidHooks, ToolEndInfo, ToolStartInfo, TurnStartInfo } from "../hooks.ts";
import type { DroidEvent } from "./events.ts";
import type { DroidTurnResult } from "./turn.ts";

/** A tool call without an end. */
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

  /** Reports the start of the turn. */
  constructor(hooks: DroidHooks, info: TurnStartInfo) {
    this.#hooks = hooks;
    this.#info = info;
    callSafely(() => hooks.onTurnStart?.(info));
  }

  event(event: DroidEvent): void {
    if (event.type === "tool_call") this.#start(event.id, event.name);
    else if (event.type === "tool_result") this.#end(event.id, event.isError ? "failed" : "ok");
  }

  end(outcome: DroidTurnResult | Error): void {
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

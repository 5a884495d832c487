import {
  type AgentTerminalState,
  type AvailableCommand,
  type BackgroundWork,
  createSessionState,
  mergeToolCall,
  type Meta,
  metaField,
  type PlanContent,
  type PlanEntry,
  type SessionActivity,
  type SessionConfigOption,
  type SessionMessageState,
  type SessionModeState,
  type SessionState,
  type SubagentState,
  type ToolCallPatch,
  type ToolCallState,
  type Usage,
} from "../../protocol/acp/index.ts";

/** The result of a session's updates, as applications and the gate see it. */
export abstract class SessionView {
  readonly #state = createSessionState();

  /** The state itself, for the class that applies the updates. */
  protected get current(): SessionState {
    return this.#state;
  }

  get modes(): SessionModeState | undefined {
    const { modes, currentModeId, modesMeta } = this.#state;
    if (currentModeId === undefined) return undefined;
    return { ...metaField(modesMeta), availableModes: [...modes], currentModeId };
  }

  get meta(): Meta | undefined {
    return this.#state.meta;
  }

  get configOptions(): readonly SessionConfigOption[] | undefined {
    return this.#state.configOptions;
  }

  get commands(): readonly AvailableCommand[] {
    return this.#state.commands;
  }

  get plan(): readonly PlanEntry[] {
    return this.#state.plan;
  }

  get toolCalls(): ReadonlyMap<string, ToolCallState> {
    return this.#state.toolCalls;
  }

  get usage(): Usage | undefined {
    return this.#state.usage;
  }

  get title(): string | undefined {
    return this.#state.title;
  }

  get plans(): ReadonlyMap<string, PlanContent> {
    return this.#state.plans;
  }

  get subagents(): ReadonlyMap<string, SubagentState> {
    return this.#state.subagents;
  }

  get sessionMessages(): ReadonlyMap<string, SessionMessageState> {
    return this.#state.sessionMessages;
  }

  get activity(): SessionActivity | undefined {
    return this.#state.activity;
  }

  get background(): readonly BackgroundWork[] | undefined {
    return this.#state.background;
  }

  get terminals(): ReadonlyMap<string, AgentTerminalState> {
    return this.#state.terminals;
  }

  toolCall(id: string): ToolCallState | undefined {
    return this.#state.toolCalls.get(id);
  }

  noteToolCall(patch: ToolCallPatch): void {
    const { toolCalls } = this.#state;
    toolCalls.set(patch.toolCallId, mergeToolCall(toolCalls.get(patch.toolCallId), patch));
  }
}

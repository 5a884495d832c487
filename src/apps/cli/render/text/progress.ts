import {
  type AgentTerminalChange,
  type AgentTerminalChunk,
  type AgentTerminalState,
  applyUpdate,
  createSessionState,
  BoundedMap,
  type LocalToolCallStatus,
  isFinished,
  mergeToolCall,
  TOOL_CALL_RULES,
  type ToolCallPatch,
  type ToolCallState,
  type PlanEntry,
} from "../../../../protocol/acp/index.ts";
import { diffKey } from "./diff.ts";
import type { DiffText } from "./diff-colors.ts";
import { sanitizeLine } from "../../../../base/index.ts";

export interface ToolDelta {
  readonly call: ToolCallState;
  /** The status to show, if it changed. */
  readonly status: LocalToolCallStatus | undefined;
  /** How long the call took; set once it has ended. */
  readonly ms: number | undefined;
  /** Diffs that earlier updates did not have. */
  readonly diffs: readonly DiffText[];
}

interface Seen {
  readonly call: ToolCallState;
  readonly since: number;
  readonly shown: LocalToolCallStatus | undefined;
  readonly diffs: ReadonlySet<string>;
}

/** An agent may change the diffs of a call any number of times. */
const KEPT_DIFFS = 1000;
const DIFF_KEY_CHARS = 44;

/**
 * Follows tool calls and reports only what is new, so that repeated updates are not shown again. Of
 * calls that have ended, it keeps as much as a session does.
 */
export class ToolProgress {
  readonly #now: () => number;
  readonly #seen = new BoundedMap<Seen>({
    count: TOOL_CALL_RULES.count,
    chars: TOOL_CALL_RULES.chars,
    weigh: ({ call, diffs }) => TOOL_CALL_RULES.weigh(call) + diffs.size * DIFF_KEY_CHARS,
    isOver: ({ call }) => TOOL_CALL_RULES.isOver(call),
    trim: (seen) =>
      seen.call.trimmed
        ? seen
        : { ...seen, call: TOOL_CALL_RULES.trim(seen.call), diffs: new Set() },
  });

  constructor(now: () => number) {
    this.#now = now;
  }

  titleOf(toolCallId: string): string | undefined {
    const call = this.#seen.get(toolCallId)?.call;
    return call?.title || call?.name;
  }

  take(change: ToolCallPatch): ToolDelta {
    const old = this.#seen.get(change.toolCallId);
    const call = mergeToolCall(old?.call, change);
    const since = old?.since ?? this.#now();
    const diffs = call.content.flatMap((item) => (item.type === "diff" ? [item] : []));
    const keys = diffs.map(diffKey);
    const fresh = diffs.filter((_, n) => old?.diffs.has(keys[n] ?? "") !== true);
    const running = !isFinished(call.status);
    // Pending and running look the same to a reader: a call is shown when it starts and when it ends.
    const shown = running ? "in_progress" : call.status;
    const status = shown === old?.shown ? undefined : shown;
    this.#seen.set(change.toolCallId, {
      call,
      since,
      shown,
      diffs: new Set([...(old?.diffs ?? []), ...keys].slice(-KEPT_DIFFS)),
    });
    return { call, status, ms: running ? undefined : this.#now() - since, diffs: fresh };
  }
}

const MARKS: Readonly<Record<string, string>> = {
  pending: "·",
  in_progress: "→",
  completed: "✓",
};

/** Follows a plan and reports what is new: the whole plan once, then only its progress. */
export class PlanProgress {
  #steps = "";
  #progress = "";

  /** The lines to print, the first without its tag; none if nothing changed. */
  take(entries: readonly PlanEntry[]): readonly string[] {
    if (entries.length === 0) return [];
    const steps = entries.map(({ content }) => content).join("\n");
    const progress = entries.map(({ status }) => status).join("\n");
    const known = steps === this.#steps;
    if (known && progress === this.#progress) return [];
    this.#steps = steps;
    this.#progress = progress;
    const done = entries.filter(({ status }) => status === "completed").length;
    const count = `${done}/${entries.length} done`;
    if (!known) return [count, ...entries.map(lineOf)];
    const running = entries.find(({ status }) => status === "in_progress");
    return [running === undefined ? count : `${count}${lineOf(running).slice(1)}`];
  }
}

function lineOf({ content, status }: PlanEntry): string {
  return `  ${MARKS[status] ?? "·"} ${sanitizeLine(content)}`;
}

/** Follows terminals, on the agent's side or on this one. Bounded, as in a session. */
export class TerminalProgress {
  readonly #state = createSessionState();

  /** Applies an update. Returns the terminal if its command has just ended. */
  take(update: AgentTerminalChange | AgentTerminalChunk): AgentTerminalState | undefined {
    const { terminals } = this.#state;
    const wasOver = terminals.get(update.terminalId)?.exit !== undefined;
    applyUpdate(this.#state, update);
    const terminal = terminals.get(update.terminalId);
    return wasOver || terminal?.exit === undefined ? undefined : terminal;
  }

  /** The name of a terminal for people, safe to print. */
  nameOf(terminalId: string): string {
    const command = this.#state.terminals.get(terminalId)?.command;
    return sanitizeLine(command ?? terminalId);
  }
}

/**
 * Keeps the messages of an answer apart. An agent may send several, and without a tool call between them
 * their texts would run together.
 */
export class MessageBreaks {
  #messageId: string | undefined;
  #last = "";

  /** A piece of the answer, after a blank line if it begins another message. */
  separated(text: string, messageId: string | undefined): string {
    const isNext =
      messageId !== undefined && this.#messageId !== undefined && messageId !== this.#messageId;
    const gap = isNext && this.#last !== "" ? missingNewlines(this.#last) : "";
    this.#messageId = messageId ?? this.#messageId;
    this.#last = `${this.#last}${gap}${text}`.slice(-2);
    return gap + text;
  }

  end(): void {
    this.#messageId = undefined;
    this.#last = "";
  }
}

/** The newlines that a text lacks before a blank line. */
function missingNewlines(text: string): string {
  if (text.endsWith("\n\n")) return "";
  return text.endsWith("\n") ? "\n" : "\n\n";
}

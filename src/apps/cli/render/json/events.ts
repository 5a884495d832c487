import type {
  AgentTerminalChange,
  AgentTerminalChunk,
  PlanContent,
  ToolCallState,
  AnyUpdate,
} from "../../../../protocol/acp/index.ts";
import { base64Of, decodeLine } from "../../../../base/index.ts";
import type { PermissionFacts, Renderer, ResultFacts } from "../renderer.ts";
import type { Screen } from "../terminal/screen.ts";
import { ToolProgress } from "../text/progress.ts";
import type { TapEvent } from "../../../../transport/wire/index.ts";
import { EXIT, type CliError } from "../../shell/exit.ts";
import { denialLine } from "../text/phrases.ts";

/** The version of all events. It increases if a field is removed or changes meaning, not if one is added. */
const EVENTS_VERSION = 1;

/** One event as a line. docs/cli.md describes the events. */
export function eventLine(type: string, fields: object): string {
  return `${JSON.stringify({ v: EVENTS_VERSION, type, ...fields })}\n`;
}

export function resultLine({ error, ...facts }: ResultFacts): string {
  return eventLine("result", {
    ok: facts.exitCode === 0,
    ...facts,
    stopReason: facts.stopReason ?? null,
    usage: facts.usage ?? null,
    sessionId: facts.sessionId ?? null,
    error:
      error === undefined
        ? null
        : {
            kind: error.kind,
            message: error.what,
            exit: error.exit ?? null,
            stdout: error.stdout ?? null,
            stderr: error.stderr ?? null,
            hint: error.hint ?? null,
          },
  });
}

/** For programs: one event per line on stdout. */
export class EventsRenderer implements Renderer {
  readonly #screen: Screen;
  readonly #tools: ToolProgress;
  readonly #printLine: (text: string) => void;
  /** How many bytes of output of this side's terminals were left out since the last event about them. */
  #lost = 0;

  /** `printLine` prints to stderr what the user should see too. */
  constructor(screen: Screen, now: () => number, printLine: (text: string) => void) {
    this.#screen = screen;
    this.#printLine = printLine;
    this.#tools = new ToolProgress(now);
  }

  readonly agent: Renderer["agent"] = (facts) => this.#emit("agent", facts);
  readonly session: Renderer["session"] = (facts) => this.#emit("session", facts);
  readonly list: Renderer["list"] = ({ type, fields }) => this.#emit(type, fields);

  update(update: AnyUpdate): Promise<void> {
    const event = this.#eventOf(update);
    if (event !== undefined) this.#emit(...event);
    return Promise.resolve();
  }

  permission(facts: PermissionFacts): void {
    this.#emit("permission", facts);
    if (facts.outcome !== "allowed" && facts.by !== "user") this.#printLine(denialLine(facts));
  }

  /** A command on this side cannot be made to wait, so output that nothing reads is left out. */
  clientTerminal(update: AgentTerminalChange | AgentTerminalChunk): void {
    if (update.type === "terminal_output_chunk" && this.#screen.isOverloaded) {
      this.#lost += update.bytes.length;
      return;
    }
    const [type, fields] = terminalEvent(update);
    const lost = this.#lost > 0 ? { lost: this.#lost } : {};
    this.#lost = 0;
    this.#emit(type, { ...fields, by: "client", ...lost });
  }

  note(text: string): void {
    this.#emit("note", { text });
  }

  result(facts: ResultFacts): void {
    this.#screen.json(resultLine(facts));
  }

  /** The event of an update; undefined if another update says the same. */
  #eventOf(update: AnyUpdate): [string, object] | undefined {
    switch (update.type) {
      case "agent_message_chunk":
        return update.content.type === "text"
          ? ["text", { text: update.text, messageId: update.messageId }]
          : ["content", { content: update.content, messageId: update.messageId }];
      case "agent_thought_chunk":
        return ["thought", { text: update.thought, messageId: update.messageId }];
      case "user_message_chunk":
        return ["user", { content: update.content, messageId: update.messageId }];
      case "tool_call":
      case "tool_call_update": {
        const { call, ms } = this.#tools.take(update);
        return ["tool", { ...toolFields(call), ms }];
      }
      case "plan":
        return ["plan", { entries: update.entries }];
      case "available_commands_update":
        return ["commands", { commands: update.commands, received: true }];
      case "current_mode_update":
        return ["mode", { current: update.currentModeId }];
      case "config_option_update":
        return ["config", { options: update.configOptions }];
      case "session_info_update":
        return ["session_info", { title: update.title, updatedAt: update.updatedAt }];
      case "usage_update":
        return ["usage", { used: update.used, size: update.size, cost: update.cost }];
      case "notice":
        return [
          "notice",
          { severity: update.severity, title: update.title, description: update.description },
        ];
      case "compaction_update":
        return [
          "compaction",
          { id: update.compactionId, status: update.status, error: update.error },
        ];
      case "compaction_summary_chunk":
        return ["compaction_text", { id: update.compactionId, content: update.content }];
      case "diff":
        return [
          "diff",
          { path: update.path, oldText: update.oldText ?? null, newText: update.newText },
        ];
      case "state_update": {
        const { activity, background, stopReason, error } = update;
        return ["state", { state: activity, background, stopReason, error }];
      }
      case "terminal_update":
      case "terminal_output_chunk":
        return terminalEvent(update);
      case "user_message":
      case "agent_message":
      case "agent_thought":
        return [
          "message",
          { kind: update.type, messageId: update.messageId, content: update.content },
        ];
      case "plan_update":
        return planDocument(update.plan);
      // The entries of all remaining plans follow as `plan`.
      case "plan_removed":
        return undefined;
      // The command line uses the unstable protocol only for --system-prompt.
      case "subagent_update":
      case "session_message":
      case "session_message_chunk":
        return ["unknown", { kind: update.type, update: update.raw }];
      case "unknown":
        return ["unknown", { kind: update.kind, update: update.raw }];
    }
  }

  #emit(type: string, fields: object): void {
    this.#screen.json(eventLine(type, fields));
  }
}

function terminalEvent(update: AgentTerminalChange | AgentTerminalChunk): [string, object] {
  if (update.type === "terminal_output_chunk")
    return ["terminal_output", { id: update.terminalId, data: base64Of(update.bytes) }];
  const { terminalId, command, cwd, output, exit, size, canCancel } = update;
  const data = output && base64Of(output);
  return ["terminal", { id: terminalId, command, cwd, data, exit, size, canCancel }];
}

/** A plan without entries. The entries of all other plans follow as `plan`. */
function planDocument(plan: PlanContent): [string, object] | undefined {
  const { planId: id, type: format } = plan;
  switch (plan.type) {
    case "items":
      return undefined;
    case "file":
      return ["plan_document", { id, format, uri: plan.uri }];
    case "markdown":
      return ["plan_document", { id, format, content: plan.content }];
  }
}

function toolFields(call: ToolCallState): object {
  return {
    id: call.toolCallId,
    title: call.title,
    kind: call.kind,
    status: call.status,
    locations: call.locations,
    canCancel: call.canCancel,
    content: call.content,
    input: call.rawInput,
    output: call.rawOutput,
  };
}

/** Shows only what the user must see in every output mode: notes and denied permissions. */
export class SilentRenderer implements Renderer {
  readonly #printLine: (text: string) => void;

  constructor(printLine: (text: string) => void) {
    this.#printLine = printLine;
  }

  agent(): void {}
  session(): void {}
  list(): void {}

  update(_update: AnyUpdate): Promise<void> {
    return Promise.resolve();
  }

  permission(facts: PermissionFacts): void {
    if (facts.outcome !== "allowed" && facts.by !== "user") this.#printLine(denialLine(facts));
  }

  note(text: string): void {
    this.#printLine(text);
  }

  result(_facts: ResultFacts): void {}
}

/**
 * For tools: the raw frames both ways, byte for byte unless a terminal shows them, and nothing else.
 * Lines from the agent that are not frames are left out.
 */
export class FramesRenderer extends SilentRenderer {
  readonly #screen: Screen;
  #selected = false;

  /** `printLine` prints to stderr what the user must see besides the frames. */
  constructor(screen: Screen, printLine: (text: string) => void) {
    super(printLine);
    this.#screen = screen;
  }

  /**
   * Writes the line about the agent once, however often the agent is started. It leaves out arguments and
   * environment, which may hold secrets.
   */
  selected({ name, command }: { readonly name: string; readonly command: string }): void {
    if (this.#selected) return;
    this.#selected = true;
    const frame = { jsonrpc: "2.0", method: "client/selected_agent", params: { name, command } };
    this.#screen.json(`${JSON.stringify(frame)}\n`);
  }

  frame({ line }: TapEvent): void {
    const decoded = decodeLine(line);
    if (decoded.kind === "noise") return;
    // A stray prefix on the same line is not part of the frame.
    const frame = decoded.kind === "frame" ? line.slice(decoded.skipped.length) : line;
    this.#screen.json(`${frame}\n`);
  }

  override result(): void {
    this.#screen.finish();
  }
}

/** For scripts: one JSON object at the end, the `result` event, and nothing else. */
export class ResultRenderer extends SilentRenderer {
  readonly #screen: Screen;

  /** `printLine` prints to stderr what the user must see besides the result. */
  constructor(screen: Screen, printLine: (text: string) => void) {
    super(printLine);
    this.#screen = screen;
  }

  override result(facts: ResultFacts): void {
    this.#screen.json(resultLine(facts));
  }
}

/** The result of a command that runs no turn. */
export function plainResult(durationMs: number, failure: CliError | undefined): ResultFacts {
  return {
    exitCode: failure?.code ?? EXIT.done,
    text: "",
    stopReason: undefined,
    usage: undefined,
    sessionId: undefined,
    denied: [],
    durationMs,
    error: failure === undefined ? undefined : { kind: failure.exit, ...failure.details },
  };
}

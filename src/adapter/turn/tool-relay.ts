import type { SessionUpdate, ToolCallContent, ToolCallStatus } from "../../acp/index.ts";
import type {
  ToolCallEvent,
  ToolProgressEvent,
  ToolResultEvent,
  ToolUse,
} from "../../droid/index.ts";
import {
  diffContent,
  madeChanges,
  plannedChanges,
  writtenPaths,
  type FileText,
} from "../translate/diffs.ts";
import { readNow } from "./files.ts";
import {
  commandOutput,
  liveContent,
  planContent,
  progressContent,
  textContent,
  toolOutcome,
} from "../translate/tool-content.ts";
import type { ToolIds } from "./tool-ids.ts";
import {
  COMMAND_TOOL,
  QUESTION_TOOL,
  SPEC_TOOL,
  TODO_TOOL,
  describeTool,
  type ToolContext,
} from "../translate/tool-names.ts";
import { isSettled, newToolState, type ToolState } from "./tool-state.ts";

/** What the tool calls of a turn need of their session. */
export interface ToolHost {
  readonly place: ToolContext;
  readonly terminalOutput: boolean;
  readonly toolIds: ToolIds;
}

type ToolUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;
type Changes = Omit<ToolUpdate, "sessionUpdate" | "toolCallId">;
interface Meta {
  readonly _meta?: Record<string, unknown>;
}

/** How many lines of a sub-agent's progress are shown. */
const PROGRESS_LINES = 20;

/** The tool calls of one turn, as the client sees them: each announced once and settled once. */
export class ToolRelay {
  readonly #send: (update: SessionUpdate) => Promise<void>;
  readonly #host: ToolHost;
  readonly #tools = new Map<string, ToolState>();
  /** The files of calls that the client has not been told of yet, by Droid's id of the call. */
  readonly #looked = new Map<string, Map<string, FileText>>();

  constructor(send: (update: SessionUpdate) => Promise<void>, host: ToolHost) {
    this.#send = send;
    this.#host = host;
  }

  /** Looks at the files of a call at once: Droid may have changed them when the client is told. */
  heard({ id, name, input }: ToolUse): void {
    const known = this.#tools.get(id);
    if (known && !isSettled(known)) return this.#look(known.before, name, input);
    const before = this.#looked.get(id) ?? new Map<string, FileText>();
    this.#look(before, name, input);
    this.#looked.set(id, before);
  }

  /** A call, new or with more known of it. The to-do list is told as the plan it is. */
  async call(event: ToolCallEvent): Promise<void> {
    if (event.name === TODO_TOOL) return;
    const tool = await this.#upsert(event, event.complete);
    if (event.phase === "executing") await this.#begin(tool);
  }

  /** The call that leave is asked for: from here on its input is known. */
  asked(toolUse: ToolUse): Promise<ToolState> {
    return this.#upsert(toolUse, true);
  }

  /** The call by which the model asks something. */
  async question(droidId: string | undefined, text: string): Promise<ToolState> {
    const id = droidId ?? "question";
    const known = this.#tools.get(id);
    const tool = known ?? (await this.#upsert({ id, name: QUESTION_TOOL, input: {} }, true));
    const content = [textContent(text)];
    await this.#update(tool, { status: this.#toStatus(tool, "in_progress"), content });
    return tool;
  }

  async progress(event: ToolProgressEvent): Promise<void> {
    const tool = this.#tools.get(event.id);
    if (!tool || isSettled(tool)) return;
    if (tool.name === COMMAND_TOOL) return this.#output(tool, event);
    const line = event.text.trim();
    if (line === "") return this.#begin(tool);
    const shown =
      event.subagentSessionId === undefined ? line : `${line} (${event.subagentSessionId})`;
    tool.lines = [...tool.lines, shown].slice(-PROGRESS_LINES);
    const content = [...progressContent(tool.lines)];
    await this.#update(tool, { status: this.#toStatus(tool, "in_progress"), content });
  }

  async result(event: ToolResultEvent): Promise<void> {
    const tool = this.#tools.get(event.id);
    if (!tool || isSettled(tool)) return;
    const { status, content, exitCode } = toolOutcome(tool.name, tool.input, event);
    await this.#update(tool, {
      status: this.#toStatus(tool, status),
      content: [...this.#changes(tool, status === "failed"), ...content],
      rawOutput: event.content,
      ...this.#exitMeta(tool, event.content, exitCode ?? (status === "failed" ? 1 : 0)),
    });
  }

  /** Fails what has no result. */
  async settle(): Promise<void> {
    for (const tool of this.#tools.values()) {
      if (isSettled(tool)) continue;
      await this.#update(tool, { status: this.#toStatus(tool, "failed") });
    }
  }

  async #upsert({ id, name, input }: ToolUse, complete: boolean): Promise<ToolState> {
    const known = this.#tools.get(id);
    if (known && !isSettled(known)) {
      known.input = input;
      this.#look(known.before, known.name, input);
      if (complete && !known.complete) {
        known.complete = true;
        await this.#update(known, this.#described(known));
      }
      return known;
    }
    // Some models count their calls from one again: after its result an id may be a new call.
    if (known && JSON.stringify(known.input) === JSON.stringify(input)) return known;
    const before = this.#looked.get(id) ?? new Map<string, FileText>();
    this.#looked.delete(id);
    const tool = newToolState(this.#host.toolIds.next(id), name, before);
    this.#tools.set(id, tool);
    await this.#announce(tool, input, complete);
    return tool;
  }

  async #announce(tool: ToolState, input: ToolUse["input"], complete: boolean): Promise<void> {
    tool.input = input;
    this.#look(tool.before, tool.name, input);
    tool.complete = complete;
    const { id: toolCallId, name } = tool;
    const { title, kind } = describeTool(name, tool.input, this.#host.place);
    await this.#send({
      sessionUpdate: "tool_call",
      toolCallId,
      title,
      name,
      kind,
      status: "pending",
      ...(complete ? this.#described(tool) : {}),
      ...this.#infoMeta(tool),
    });
  }

  /** Looks at the files that a call will change, each once. */
  #look(before: Map<string, FileText>, name: string, input: ToolUse["input"]): void {
    for (const path of writtenPaths(name, input, this.#host.place.cwd))
      if (!before.has(path)) before.set(path, readNow(path));
  }

  #described(tool: ToolState) {
    const { title, kind, locations } = describeTool(tool.name, tool.input, this.#host.place);
    const content = [...this.#planned(tool)];
    return {
      title,
      kind,
      locations: [...locations],
      rawInput: tool.input,
      ...(content.length === 0 ? {} : { content }),
    };
  }

  #planned(tool: ToolState): readonly ToolCallContent[] {
    if (tool.name === SPEC_TOOL) return planContent(tool.input);
    const { cwd } = this.#host.place;
    const before = (path: string) => tool.before.get(path);
    return diffContent(plannedChanges(tool.name, tool.input, cwd, before));
  }

  #changes(tool: ToolState, failed: boolean): readonly ToolCallContent[] {
    if (writtenPaths(tool.name, tool.input, this.#host.place.cwd).length === 0) return [];
    if (tool.asked) return diffContent(tool.asked);
    if (failed) return this.#planned(tool);
    const seen = (path: string) => ({ before: tool.before.get(path), after: readNow(path) });
    return diffContent(madeChanges(tool.name, tool.input, this.#host.place.cwd, seen));
  }

  async #begin(tool: ToolState): Promise<void> {
    if (tool.status === "pending")
      await this.#update(tool, { status: this.#toStatus(tool, "in_progress") });
  }

  async #output(tool: ToolState, { output, text }: ToolProgressEvent): Promise<void> {
    const content = [...liveContent(output ?? text)];
    if (content.length === 0) return this.#begin(tool);
    await this.#update(tool, {
      status: this.#toStatus(tool, "in_progress"),
      content,
      ...this.#outputMeta(tool, output),
    });
  }

  #infoMeta(tool: ToolState): Meta {
    if (tool.name !== COMMAND_TOOL || !this.#host.terminalOutput) return {};
    return { _meta: { terminal_info: { terminal_id: tool.id, cwd: this.#host.place.cwd } } };
  }

  /** The output since the last time; 0.99 sends only its last lines, which cannot be put together. */
  #outputMeta(tool: ToolState, output: string | undefined): Meta {
    if (!this.#host.terminalOutput || !output?.startsWith(tool.streamed)) return {};
    const data = output.slice(tool.streamed.length);
    tool.streamed = output;
    return data === "" ? {} : { _meta: { terminal_output: { terminal_id: tool.id, data } } };
  }

  #exitMeta(tool: ToolState, result: string, exitCode: number): Meta {
    if (tool.name !== COMMAND_TOOL || !this.#host.terminalOutput) return {};
    const output = commandOutput(result);
    const rest = output.startsWith(tool.streamed.trimEnd())
      ? output.slice(tool.streamed.length)
      : "";
    return {
      _meta: {
        ...(rest.trim() === "" ? {} : { terminal_output: { terminal_id: tool.id, data: rest } }),
        terminal_exit: { terminal_id: tool.id, exit_code: exitCode, signal: null },
      },
    };
  }

  #toStatus(tool: ToolState, status: ToolCallStatus): ToolCallStatus {
    tool.status = status;
    return status;
  }

  #update(tool: ToolState, changes: Changes): Promise<void> {
    return this.#send({ sessionUpdate: "tool_call_update", toolCallId: tool.id, ...changes });
  }
}

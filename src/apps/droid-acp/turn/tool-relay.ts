import type {
  SessionUpdate,
  ToolCallContent,
  ToolCallStatus,
} from "../../../protocol/acp/index.ts";
import type { ReportedTerminal, TerminalReport } from "../../../agent/index.ts";
import { META_KEYS } from "../../../protocol/translator/index.ts";
import type {
  ToolCallEvent,
  ToolProgressEvent,
  ToolResultEvent,
  ToolUse,
} from "../../../droid/index.ts";
import {
  diffContent,
  madeChanges,
  plannedChanges,
  writtenPaths,
  type FileText,
  type FileChange,
} from "../translate/diffs.ts";
import {
  SPEC_PLAN_REMOVED,
  commandOutput,
  liveContent,
  specContent,
  progressContent,
  textContent,
  toolOutcome,
} from "../translate/tool-results.ts";
import { stringField, type JsonObject } from "../../../base/index.ts";
import {
  COMMAND_TOOL,
  QUESTION_TOOL,
  SPEC_TOOL,
  TODO_TOOL,
  describeTool,
  type ToolContext,
} from "../translate/tool-names.ts";
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { specPlanUpdates } from "../translate/plans.ts";

export interface ToolHost {
  readonly toolContext: ToolContext;
  /** Whether the client supports command output as terminal output. */
  readonly terminalOutput: boolean;
  /** Whether the client supports plans as Markdown. */
  readonly markdownPlans: boolean;
  readonly toolIds: ToolIds;
  /** Reports a terminal, if the client speaks v2. */
  readonly reportTerminal?: ((start: TerminalReport) => Promise<ReportedTerminal>) | undefined;
}

type ToolUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;
type Changes = Omit<ToolUpdate, "sessionUpdate" | "toolCallId">;
interface Meta {
  readonly _meta?: Record<string, unknown>;
}

const PROGRESS_LINES = 20;

/** Sends the tool calls of one turn to the client: each is announced once and settled once. */
export class ToolRelay {
  readonly #send: (update: SessionUpdate) => Promise<void>;
  readonly #host: ToolHost;
  readonly #tools = new Map<string, ToolState>();
  /** The files of calls that were not sent to the client yet, by Droid's id of the call. */
  readonly #filesBefore = new Map<string, Map<string, FileText>>();

  constructor(send: (update: SessionUpdate) => Promise<void>, host: ToolHost) {
    this.#send = send;
    this.#host = host;
  }

  /** Reads the files of a call at once: Droid may change them before the client gets the call. */
  record({ id, name, input }: ToolUse): void {
    const known = this.#tools.get(id);
    if (known && !isSettled(known)) return this.#readFiles(known.before, name, input);
    const before = this.#filesBefore.get(id) ?? new Map<string, FileText>();
    this.#readFiles(before, name, input);
    this.#filesBefore.set(id, before);
  }

  /** Sends a new call or an update of one. Leaves out the to-do list, which is sent as the plan. */
  async call(event: ToolCallEvent): Promise<void> {
    if (event.name === TODO_TOOL) return;
    const tool = await this.#upsert(event, event.isComplete);
    if (event.phase === "executing") await this.#start(tool);
  }

  /** Sends the call that needs permission. Its input is complete. */
  permissionRequested(toolUse: ToolUse): Promise<ToolState> {
    return this.#upsert(toolUse, true);
  }

  /** Sends the call by which the model asks the user a question. */
  async question(droidId: string | undefined, text: string): Promise<ToolState> {
    const id = droidId ?? "question";
    const known = this.#tools.get(id);
    const tool = known ?? (await this.#upsert({ id, name: QUESTION_TOOL, input: {} }, true));
    const content = [textContent(text)];
    await this.#update(tool, { status: "in_progress", content });
    return tool;
  }

  async progress(event: ToolProgressEvent): Promise<void> {
    const tool = this.#tools.get(event.id);
    if (!tool || isSettled(tool)) return;
    if (tool.name === COMMAND_TOOL) return this.#output(tool, event);
    const line = event.text.trim();
    if (line === "") return this.#start(tool);
    const shown =
      event.subagentSessionId === undefined ? line : `${line} (${event.subagentSessionId})`;
    tool.lines = [...tool.lines, shown].slice(-PROGRESS_LINES);
    const content = [...progressContent(tool.lines)];
    await this.#update(tool, { status: "in_progress", content });
  }

  /** Sends the result. Droid reports calls of a cancelled turn as failed. */
  async result(event: ToolResultEvent, isCancelled = false): Promise<void> {
    const tool = this.#tools.get(event.id);
    if (!tool || isSettled(tool)) return;
    const { status, content: shown, exitCode } = toolOutcome(tool.name, tool.input, event);
    await tool.terminal?.end(commandOutput(event.content), exitCode);
    const content = tool.terminal ? [tool.terminal.content] : shown;
    const isFailed = status === "failed";
    await this.#update(tool, {
      status,
      content: [...this.#changes(tool, isFailed), ...content],
      rawOutput: event.content,
      ...this.#exitMeta(tool, event.content, exitCode ?? (isFailed ? 1 : 0)),
      ...(isFailed ? this.#cancelledMeta(isCancelled) : {}),
    });
    if (isFailed) await this.#removeSpecPlan(tool);
  }

  /** Marks calls without a result as failed, or as cancelled with the turn. */
  async settle(isCancelled = false): Promise<void> {
    for (const tool of this.#tools.values()) {
      if (isSettled(tool)) continue;
      await this.#update(tool, {
        status: "failed",
        ...this.#cancelledMeta(isCancelled),
      });
      await this.#removeSpecPlan(tool);
    }
  }

  async #upsert({ id, name, input }: ToolUse, isComplete: boolean): Promise<ToolState> {
    const known = this.#tools.get(id);
    if (known && !isSettled(known)) {
      known.input = input;
      this.#readFiles(known.before, known.name, input);
      if (isComplete && !known.isComplete) {
        known.isComplete = true;
        await this.#update(known, this.#described(known));
        await this.#sendSpecPlan(known);
      }
      return known;
    }
    // Some models number their calls from one again, so a settled id may be a new call.
    if (known && JSON.stringify(known.input) === JSON.stringify(input)) return known;
    const before = this.#filesBefore.get(id) ?? new Map<string, FileText>();
    this.#filesBefore.delete(id);
    const tool: ToolState = {
      id: this.#host.toolIds.next(id),
      name,
      input,
      isComplete,
      status: "pending",
      before,
      permissionChanges: undefined,
      streamed: "",
      terminal: undefined,
      lines: [],
    };
    this.#tools.set(id, tool);
    this.#readFiles(before, name, input);
    const { title, kind } = describeTool(name, input, this.#host.toolContext);
    await this.#send({
      sessionUpdate: "tool_call",
      toolCallId: tool.id,
      title,
      name,
      kind,
      status: "pending",
      ...(isComplete ? this.#described(tool) : {}),
      ...this.#infoMeta(tool),
    });
    if (isComplete) await this.#sendSpecPlan(tool);
    return tool;
  }

  async #sendSpecPlan(tool: ToolState): Promise<void> {
    if (!this.#hasSpecPlan(tool)) return;
    for (const update of specPlanUpdates(tool.input)) await this.#send(update);
  }

  async #removeSpecPlan(tool: ToolState): Promise<void> {
    if (this.#hasSpecPlan(tool) && specPlanUpdates(tool.input).length > 0)
      await this.#send(SPEC_PLAN_REMOVED);
  }

  #hasSpecPlan(tool: ToolState): boolean {
    return tool.name === SPEC_TOOL && this.#host.markdownPlans;
  }

  /** Reads the files that a call will change, each once. */
  #readFiles(before: Map<string, FileText>, name: string, input: ToolUse["input"]): void {
    for (const path of writtenPaths(name, input, this.#host.toolContext.cwd))
      if (!before.has(path)) before.set(path, readNow(path));
  }

  #described(tool: ToolState) {
    const { title, kind, locations } = describeTool(tool.name, tool.input, this.#host.toolContext);
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
    if (tool.name === SPEC_TOOL) return specContent(tool.input);
    const { cwd } = this.#host.toolContext;
    const before = (path: string) => tool.before.get(path);
    return diffContent(plannedChanges(tool.name, tool.input, cwd, before));
  }

  #changes(tool: ToolState, failed: boolean): readonly ToolCallContent[] {
    if (writtenPaths(tool.name, tool.input, this.#host.toolContext.cwd).length === 0) return [];
    if (tool.permissionChanges) return diffContent(tool.permissionChanges);
    if (failed) return this.#planned(tool);
    const seen = (path: string) => ({ before: tool.before.get(path), after: readNow(path) });
    return diffContent(madeChanges(tool.name, tool.input, this.#host.toolContext.cwd, seen));
  }

  async #start(tool: ToolState): Promise<void> {
    if (tool.status !== "pending") return;
    const content = await this.#openTerminal(tool);
    await this.#update(tool, { status: "in_progress", ...content });
  }

  /** The terminal of a command that runs, as content. Only clients of v2 have terminals of the agent. */
  async #openTerminal(tool: ToolState): Promise<{ content?: ToolCallContent[] }> {
    const { reportTerminal, toolContext } = this.#host;
    if (tool.name !== COMMAND_TOOL || !reportTerminal || tool.terminal) return {};
    const command = stringField(tool.input, "command") ?? "";
    const { cwd } = toolContext;
    const terminal = await reportTerminal({ command, cwd, terminalId: tool.id });
    tool.terminal = new CommandTerminal(terminal);
    return { content: [tool.terminal.content] };
  }

  async #output(tool: ToolState, { output, text }: ToolProgressEvent): Promise<void> {
    if (this.#host.reportTerminal) {
      await this.#start(tool);
      return tool.terminal?.output(output ?? text);
    }
    const content = [...liveContent(output ?? text)];
    if (content.length === 0) return this.#start(tool);
    await this.#update(tool, {
      status: "in_progress",
      content,
      ...this.#outputMeta(tool, output),
    });
  }

  #infoMeta(tool: ToolState): Meta {
    if (tool.name !== COMMAND_TOOL || !this.#host.terminalOutput) return {};
    return { _meta: { terminal_info: { terminal_id: tool.id, cwd: this.#host.toolContext.cwd } } };
  }

  /** The new output. 0.99 sends only the last lines, which cannot be put together. */
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

  /** v1 has no status for a cancelled call; its clients see it as failed. */
  #cancelledMeta(isCancelled: boolean): Meta {
    const isV2 = this.#host.reportTerminal !== undefined;
    return isCancelled && isV2 ? { _meta: { [META_KEYS.raw]: { status: "cancelled" } } } : {};
  }

  #update(tool: ToolState, changes: Changes): Promise<void> {
    tool.status = changes.status ?? tool.status;
    return this.#send({ sessionUpdate: "tool_call_update", toolCallId: tool.id, ...changes });
  }
}

/** Larger files are not shown as whole-file diffs, which would be too long to read. */
const LIMIT_BYTES = 2 * 1024 * 1024;

/**
 * Reads a text file synchronously, because Droid is about to change it. Returns null if there is no
 * file, and undefined if it is too large or not text.
 */
export function readNow(path: string): FileText {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return null;
    return stats.isFile() ? textOf(openSync(path, READ_ONLY)) : undefined;
  } catch {
    return undefined;
  }
}

/** Non-blocking, because a pipe may have taken the place of the file. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Checks the opened file itself, and closes it. */
function textOf(file: number): string | undefined {
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > LIMIT_BYTES) return undefined;
    const text = readFileSync(file, "utf8");
    return text.includes("\0") ? undefined : text;
  } finally {
    closeSync(file);
  }
}

export interface ToolState {
  readonly id: string;
  readonly name: string;
  input: JsonObject;
  isComplete: boolean;
  status: ToolCallStatus;
  /** The files that the call will write, as they were when Droid first announced it. */
  readonly before: Map<string, FileText>;
  permissionChanges: readonly FileChange[] | undefined;
  streamed: string;
  /** The terminal of a command that has started; only on v2. */
  terminal: CommandTerminal | undefined;
  lines: readonly string[];
}

function isSettled({ status }: ToolState): boolean {
  return status === "completed" || status === "failed";
}

/**
 * A command of Droid as a terminal of the agent. Droid repeats all of the output so far, and 0.99 only
 * its last lines, so output that does not continue the known one replaces it.
 */
class CommandTerminal {
  readonly #terminal: ReportedTerminal;
  #known = "";

  constructor(terminal: ReportedTerminal) {
    this.#terminal = terminal;
  }

  get content(): ToolCallContent {
    return this.#terminal.content;
  }

  async output(output: string): Promise<void> {
    const known = this.#known;
    if (output === known) return;
    this.#known = output;
    if (output.startsWith(known)) await this.#terminal.write(output.slice(known.length));
    else await this.#terminal.replace(output);
  }

  /** Ends with the whole output. The exit code is undefined if Droid does not report one. */
  async end(output: string, exitCode: number | undefined): Promise<void> {
    // Droid removes blank lines at the end of the result.
    if (output !== this.#known.trimEnd()) await this.output(output);
    await this.#terminal.exit(exitCode === undefined ? {} : { exitCode });
  }
}

/**
 * The ids of a session's tool calls. Some models number their calls from one in every turn. For the
 * client, an id names one call, so a later call with the same id gets a suffix.
 */
export class ToolIds {
  readonly #uses = new Map<string, number>();

  /** The client's id for a new call with this id in Droid. */
  next(id: string): string {
    const uses = (this.#uses.get(id) ?? 0) + 1;
    this.#uses.set(id, uses);
    return uses === 1 ? id : `${id}-${uses}`;
  }
}

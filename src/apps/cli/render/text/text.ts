import type {
  AgentTerminalChange,
  AgentTerminalChunk,
  AgentTerminalState,
  BackgroundWork,
  PlanContent,
  ToolCallState,
  AnyUpdate,
  ContentBlock,
} from "../../../../protocol/acp/index.ts";
import { diffKey, diffLines } from "./diff.ts";
import type { DiffText } from "./diff-colors.ts";
import { shownPath, usageLine, denialLine } from "./phrases.ts";
import {
  MessageBreaks,
  PlanProgress,
  ToolProgress,
  type ToolDelta,
  TerminalProgress,
} from "./progress.ts";
import type { AnswerTerminal, MarkdownStream } from "../markdown/stream.ts";
import type {
  AgentFacts,
  Listing,
  PermissionFacts,
  Renderer,
  ResultFacts,
  SessionFacts,
} from "../renderer.ts";
import {
  toolTitle,
  EVERYTHING,
  LAST_LINES,
  outputLines,
  toolOutput,
  endedTerminal,
} from "./tool-output.ts";
import { Sanitizer, sanitize, sanitizeLine } from "../../../../base/index.ts";
import type { Screen } from "../terminal/screen.ts";
import type { Style } from "../terminal/style.ts";

export interface TextOptions {
  /** Whether to print only the answer, without plans and tools. */
  readonly simple: boolean;
  readonly thoughts: boolean;
  readonly verbose: boolean;
  /** Whether to name the agent's slash commands, which a single prompt has no use for. */
  readonly commands: boolean;
  /** Whether to sanitize the answer: only if stdout is a terminal. */
  readonly safeAnswer: boolean;
  /** Whether the answer is not shown as it arrives, because the command prints it itself. */
  readonly hidesAnswer?: boolean;
  /** The terminal on which the answer is rendered as Markdown; undefined if it is printed as it is. */
  readonly markdown: AnswerTerminal | undefined;
  /** Whether stderr is a terminal, which the user sees. */
  readonly onTerminal: boolean;
  readonly cwd: string;
  readonly style: Style;
  readonly now: () => number;
}

const SHOWN_DIFF_LINES = 60;
/** How many of the diffs that were shown are recognized in a later question. */
const KEPT_DIFFS = 1000;
/** Some agents have dozens. `--list-commands` and `/help` in a chat list all of them. */
const SHOWN_COMMANDS = 8;
const SHOWN_COMMANDS_CHARS = 54;
const MS_PER_SECOND = 1000;

/** For people: the answer on stdout, the rest on stderr. */
export class TextRenderer implements Renderer {
  readonly #screen: Screen;
  readonly #options: TextOptions;
  readonly #tools: ToolProgress;
  readonly #plan = new PlanProgress();
  readonly #terminals = new TerminalProgress();
  readonly #clientTerminals = new TerminalProgress();
  readonly #answer = new Sanitizer();
  readonly #messages = new MessageBreaks();
  readonly #thought = new Sanitizer();
  readonly #diffs = new Set<string>();
  #markdown: MarkdownStream | undefined;
  #background: ReadonlySet<string> = new Set();
  #thinking = false;
  #commands = "";
  #sections = 0;

  constructor(screen: Screen, options: TextOptions) {
    this.#screen = screen;
    this.#options = options;
    this.#tools = new ToolProgress(options.now);
  }

  agent({ name, title, version, protocolVersion }: AgentFacts): void {
    if (!this.#options.verbose) return;
    const own = [title ?? "no name", version].filter(Boolean).join(" ");
    this.#report("agent", `${name}: ${own}, protocol ${protocolVersion}`);
  }

  session({ sessionId, origin }: SessionFacts): void {
    if (this.#options.verbose) this.#report("session", `${sessionId} (${origin})`);
  }

  list({ text }: Listing): void {
    this.#screen.answer(`${this.#sections++ > 0 ? "\n" : ""}${sanitize(text)}\n`);
  }

  async update(update: AnyUpdate): Promise<void> {
    if (update.type !== "agent_thought_chunk") this.#endThought();
    switch (update.type) {
      case "agent_message_chunk":
        if (update.content.type === "text") {
          await this.#answerPiece(this.#messages.separated(update.text, update.messageId));
        } else this.#report("content", describeContent(update.content));
        return;
      case "agent_thought_chunk":
        if (this.#options.thoughts) this.#thoughtPiece(update.thought);
        return;
      case "tool_call":
      case "tool_call_update":
        // The message before a tool call is over, even in the middle of a code block.
        if (update.type === "tool_call") this.#markdown?.end();
        if (!this.#options.simple) await this.#tool(this.#tools.take(update));
        return;
      case "plan":
        this.#lines("plan", this.#plan.take(update.entries));
        return;
      case "available_commands_update": {
        const names = update.commands.map(({ name }) => `/${name}`);
        const known = names.join(" ");
        if (this.#options.commands && known !== "" && known !== this.#commands)
          this.#report("commands", shortened(names));
        this.#commands = known;
        return;
      }
      case "diff":
        if (!this.#options.simple) await this.#diff(update);
        return;
      case "current_mode_update":
        this.#report("mode", update.currentModeId);
        return;
      case "notice":
        this.#report("notice", [update.title, update.description].filter(Boolean).join(": "));
        return;
      case "compaction_update":
        this.#report("compaction", update.status);
        return;
      case "unknown":
        if (this.#options.verbose) this.#report("unknown", `update "${update.kind}" ignored`);
        return;
      case "usage_update":
        if (this.#options.verbose) this.#report("usage", `${update.used} of ${update.size} tokens`);
        return;
      case "plan_update":
        this.#planDocument(update.plan);
        return;
      case "state_update":
        // Work that the agent began by itself ends without a result.
        if (update.activity === "idle") this.#messages.end();
        this.#backgroundChange(update.background ?? []);
        return;
      case "terminal_update":
      case "terminal_output_chunk": {
        const ended = this.#terminals.take(update);
        if (ended !== undefined) this.#ended(ended);
        return;
      }
      default:
      // The other updates belong to the unstable protocol, which is off here, arrive as other updates as
      // well, or change nothing that a reader sees.
    }
  }

  permission(facts: PermissionFacts): void {
    // The user has just made this decision.
    if (facts.by === "user") return;
    if (facts.outcome === "allowed") {
      if (this.#options.verbose) this.#report("permission", `allowed: ${facts.what}`);
      return;
    }
    this.#printTagged("permission", denialLine(facts), "yellow");
  }

  async toolCall(call: ToolCallState): Promise<void> {
    if (this.#options.simple) return;
    // Its status is older than the one that the updates have reported.
    await this.#tool(this.#tools.take({ ...call, status: undefined, rawStatus: undefined }));
  }

  /** Without `--verbose`, a command that succeeded is not worth a line: the tool call reports it. */
  clientTerminal(update: AgentTerminalChange | AgentTerminalChunk): void {
    const ended = this.#clientTerminals.take(update);
    if (ended !== undefined && (ended.exit?.code !== 0 || this.#options.verbose))
      this.#ended(ended);
  }

  hasShown(diff: DiffText): boolean {
    return this.#diffs.has(diffKey(diff));
  }

  note(text: string): void {
    this.#screen.printLine(this.#options.style("dim", `dragoman: ${sanitizeLine(text)}`));
  }

  result(facts: ResultFacts): void {
    const { stopReason, error } = facts;
    this.#endThought();
    this.#messages.end();
    const rest = this.#options.safeAnswer ? this.#answer.end() : "";
    if (this.#markdown === undefined) this.#screen.answer(rest);
    else this.#markdown.end(rest);
    this.#screen.finish();
    if (error === undefined && stopReason !== undefined && stopReason !== "end_turn") {
      this.#printTagged("stopped", stopReason, "yellow");
    }
    const { onTerminal, simple, style } = this.#options;
    if (onTerminal && !simple && error === undefined && stopReason !== undefined)
      this.#screen.printLine(style("dim", `[done] ${usageLine(facts)}`));
  }

  async #answerPiece(text: string): Promise<void> {
    const { hidesAnswer, markdown, safeAnswer } = this.#options;
    if (hidesAnswer === true) return this.#screen.status("reading the answer");
    const safe = safeAnswer ? this.#answer.push(text) : text;
    if (markdown === undefined) return this.#screen.answer(safe);
    // The parser and the colors of code are needed only here.
    const { openMarkdown } = await import("../markdown/stream.ts");
    this.#markdown ??= openMarkdown(this.#screen, markdown);
    await this.#markdown.push(safe);
  }

  #thoughtPiece(text: string): void {
    if (!this.#thinking) this.#screen.printLine(this.#options.style("dim", "[thought]"));
    this.#thinking = true;
    this.#screen.printPiece(this.#options.style("dim", this.#thought.push(text)));
  }

  #endThought(): void {
    if (!this.#thinking) return;
    this.#thinking = false;
    this.#screen.printPiece(`${this.#thought.end()}\n`);
  }

  async #tool({ call, status, ms, diffs }: ToolDelta): Promise<void> {
    const title = toolTitle(call);
    if (status !== undefined) {
      const time = ms === undefined ? "" : `, ${(ms / MS_PER_SECOND).toFixed(1)} s`;
      const word = status === "in_progress" ? "running" : status;
      const color = status === "failed" ? "red" : status === "completed" ? "green" : "dim";
      const state = this.#options.style(color, `(${word}${time})`);
      const output = this.#outputOf(call, status);
      this.#screen.printLine(
        [`${this.#options.style("cyan", "[tool]")} ${title} ${state}`, ...output].join("\n"),
      );
    }
    for (const diff of diffs) await this.#diff(diff);
  }

  /** Why a tool failed and what it printed; with `--verbose` also for tools that succeeded. */
  #outputOf(call: ToolCallState, status: ToolDelta["status"]): readonly string[] {
    const { verbose, style } = this.#options;
    if (verbose && status !== "in_progress")
      return outputLines(toolOutput(call), style, { limits: EVERYTHING });
    return status === "failed" ? outputLines(toolOutput(call), style) : [];
  }

  async #diff(diff: DiffText): Promise<void> {
    const { style } = this.#options;
    if (this.#options.onTerminal) this.#rememberShown(diff);
    const { added, removed, lines } = await diffLines(diff, style, SHOWN_DIFF_LINES);
    const head = `${style("cyan", "[diff]")} ${shownPath(diff.path, this.#options.cwd)} +${added} -${removed}`;
    this.#screen.printLine([head, ...lines.map((line) => `  ${line}`)].join("\n"));
  }

  #rememberShown(diff: DiffText): void {
    this.#diffs.add(diffKey(diff));
    const [oldest] = this.#diffs;
    if (this.#diffs.size > KEPT_DIFFS && oldest !== undefined) this.#diffs.delete(oldest);
  }

  #ended(terminal: AgentTerminalState): void {
    const { style, verbose } = this.#options;
    this.#lines("terminal", endedTerminal(terminal, style, verbose ? EVERYTHING : LAST_LINES));
  }

  /** A plan without entries. Plans with entries arrive as `plan` as well. */
  #planDocument(plan: PlanContent): void {
    if (plan.type === "file") this.#report("plan", plan.uri);
    if (plan.type !== "markdown") return;
    const [first = "", ...rest] = sanitize(plan.content).trim().split("\n");
    this.#lines("plan", [first, ...rest.map((line) => `  ${line}`)]);
  }

  /** Reports work that goes on in the background and did not do so before. */
  #backgroundChange(background: readonly BackgroundWork[]): void {
    const keys = background.map((work) => JSON.stringify(work));
    for (const [index, work] of background.entries()) {
      if (!this.#background.has(keys[index] ?? "")) this.#report("background", this.#nameOf(work));
    }
    this.#background = new Set(keys);
  }

  #nameOf(work: BackgroundWork): string {
    switch (work.type) {
      case "terminal":
        return this.#terminals.nameOf(work.terminalId);
      case "tool_call":
        return this.#tools.titleOf(work.toolCallId) ?? work.toolCallId;
      case "unknown":
        return "work of an unknown type";
    }
  }

  #lines(tag: string, [first, ...rest]: readonly string[]): void {
    if (first === undefined || this.#options.simple) return;
    const head = `${this.#options.style("cyan", `[${tag}]`)} ${first}`;
    this.#screen.printLine([head, ...rest].join("\n"));
  }

  #report(tag: string, text: string): void {
    if (!this.#options.simple) this.#printTagged(tag, text, "cyan");
  }

  #printTagged(tag: string, text: string, color: "cyan" | "yellow"): void {
    this.#screen.printLine(`${this.#options.style(color, `[${tag}]`)} ${sanitizeLine(text)}`);
  }
}

/** The first names, as many as fit into a row of 80 columns with the rest of the line. */
function shortened(names: readonly string[]): string {
  let shown = names.slice(0, SHOWN_COMMANDS);
  while (shown.length > 1 && shown.join(" ").length > SHOWN_COMMANDS_CHARS)
    shown = shown.slice(0, -1);
  const rest = names.length - shown.length;
  return shown.join(" ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** Describes content that cannot be printed as text. Sanitize it: the agent wrote parts of it. */
function describeContent(content: Exclude<ContentBlock, { type: "text" }>): string {
  switch (content.type) {
    case "image":
    case "audio": {
      const bytes = Math.floor((content.data.length * 3) / 4);
      return `${content.type}, ${content.mimeType}, ${bytes} bytes (see -o events)`;
    }
    case "resource_link":
      return `link ${content.uri}`;
    case "resource":
      return `resource ${content.resource.uri} (see -o events)`;
  }
}

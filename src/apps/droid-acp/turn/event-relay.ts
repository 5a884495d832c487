import type { SessionUpdate, ToolCallUpdate } from "../../../protocol/acp/index.ts";
import type { Turn } from "../../../agent/index.ts";
import type {
  AskUserAnswer,
  AskUserRequest,
  DroidEvent,
  DroidPermissionAnswer,
  DroidPermissionRequest,
  PermissionToolUse,
  ToolProgressEvent,
  ToolResultEvent,
} from "../../../droid/index.ts";
import { permissionChanges } from "../translate/diffs.ts";
import { retryId, thoughtId, type ToolIds } from "./ids.ts";
import { noticeOf, type NoticeText } from "../translate/notices.ts";
import {
  allSteps,
  permissionAnswer,
  permissionOptions,
  stepContent,
  type PermissionStep,
  choiceAnswer,
  formAnswers,
  questionChoices,
  questionForm,
  questionText,
} from "../translate/requests.ts";
import { toPlan } from "../translate/plan.ts";
import { textContent } from "../translate/tool-results.ts";
import { describeTool, type ToolContext } from "../translate/tool-names.ts";
import { SubagentRelay } from "./subagent-relay.ts";
import { type ToolHost, ToolRelay } from "./tool-relay.ts";
import type { ToolState } from "./tool-state.ts";

/** The parts of a session that a turn needs. */
export interface TurnHost {
  readonly toolContext: ToolContext;
  /** Whether the client supports command output as terminal output. */
  readonly terminalOutput: boolean;
  /** Whether the client supports plans as Markdown. */
  readonly markdownPlans: boolean;
  /** Whether Droid runs sub-agents in the background by default. */
  readonly backgroundTasks: boolean;
  readonly toolIds: ToolIds;
  /** Sends the client a notice beside the answer. */
  notify(notice: NoticeText): Promise<void>;
  /** Handles an event that concerns the session rather than the turn. */
  sessionEvent(event: DroidEvent): Promise<void>;
  /** Stops Droid's turn. */
  interrupt(): void;
}

/** Relays one turn: forwards events, permission requests and questions from Droid to the client. */
export class EventRelay<S> {
  readonly #turn: Turn<S>;
  readonly #host: TurnHost;
  readonly #tools: ToolRelay;
  /** Undefined if the client does not support sub-agents. */
  readonly #subagents: SubagentRelay | undefined;
  /** Messages that the client has seen a part of, and how often each was retracted. */
  readonly #shown = new Set<string>();
  readonly #retries = new Map<string, number>();
  #lastShown = "";
  #compaction: string | undefined;
  #failed = false;
  /** The message from Droid about a failure. */
  failureMessage: string | undefined;
  /** Whether the user closed a question or permission request without an answer. */
  dismissed = false;

  constructor(turn: Turn<S>, host: TurnHost) {
    this.#turn = turn;
    this.#host = host;
    const send = (update: SessionUpdate): Promise<void> => turn.update(update);
    const { protocolVersion } = turn.client;
    const reportTerminal: ToolHost["reportTerminal"] =
      protocolVersion === 2 ? (start) => turn.reportTerminal(start) : undefined;
    this.#tools = new ToolRelay(send, { ...host, reportTerminal });
    if (!turn.client.can("subagents")) return;
    this.#subagents = new SubagentRelay({
      open: (details, id) => turn.session.openSubagent(details, { id }),
      background: host.backgroundTasks,
    });
  }

  /** Records an event as soon as Droid sends it. It is forwarded once the client can take more. */
  record(event: DroidEvent): void {
    if (event.type === "tool_call") this.#tools.record(event);
  }

  /** Forwards one event. Resolves once the client can take more. */
  event(event: DroidEvent): Promise<void> {
    switch (event.type) {
      case "text":
        return this.#chunk("agent_message_chunk", event.messageId, event.text);
      case "thinking":
        return this.#chunk("agent_thought_chunk", event.messageId, event.text);
      case "retracted":
        return this.#retracted(event.messageId);
      case "tool_call":
        this.#subagents?.call(event);
        return this.#tools.call(event);
      case "tool_progress":
        return this.#toolProgress(event);
      case "tool_result":
        return this.#toolResult(event);
      case "plan":
        return this.#turn.update({ sessionUpdate: "plan", entries: toPlan(event.entries) });
      case "state":
        return this.#state(event.state);
      case "error":
        this.#failed = true;
        this.failureMessage ??= event.failure.message;
        return DONE;
      case "notice":
        return this.#notice(event);
      case "mcp":
      case "settings":
      case "title":
      case "usage":
        return this.#host.sessionEvent(event);
      case "permission_resolved":
      case "structured_output":
      case "unknown":
        return DONE;
    }
  }

  /** Marks tool calls and sub-agents without a result as ended. Call it when the turn is over. */
  async settle(): Promise<void> {
    await this.#tools.settle(this.#isCancelled);
    await this.#subagents?.settle();
  }

  /** Asks the client for permission. Anything but a clear yes denies. */
  async permission(request: DroidPermissionRequest): Promise<DroidPermissionAnswer> {
    const steps = await Promise.all(request.toolUses.map((use) => this.#step(use)));
    const [first] = steps;
    if (!first) return "cancel";
    const { tool } = first;
    const { title, kind, locations } = describeTool(tool.name, tool.input, this.#host.toolContext);
    const toolCall: ToolCallUpdate = {
      toolCallId: tool.id,
      title,
      kind,
      status: "pending",
      content: [...allSteps(steps)],
      locations: [...locations],
      rawInput: tool.input,
    };
    const options = permissionOptions(request);
    const answer = await this.#turn.askAbout(toolCall, { options });
    if (answer.optionId === undefined) {
      this.#dismiss();
      return "cancel";
    }
    return permissionAnswer(request, answer.optionId);
  }

  /** Asks the client a question from the model. Null declines, which all versions of Droid accept. */
  async question(request: AskUserRequest): Promise<AskUserAnswer> {
    const tool = await this.#tools.question(request.toolCallId, questionText(request.questions));
    if (this.#turn.client.can("elicitation.form")) {
      const form = questionForm(request);
      const answer = await this.#turn.elicit({ ...form, toolCallId: tool.id });
      return answer.action === "accept" ? formAnswers(request, answer.content ?? {}) : null;
    }
    const answers: { index: number; answer: string }[] = [];
    for (const question of request.questions) {
      const content = [textContent(questionText([question]))];
      const toolCall = { toolCallId: tool.id, title: question.question, content };
      const options = questionChoices(question);
      const answer = await this.#turn.askAbout(toolCall, { options });
      if (answer.optionId === undefined) {
        this.#dismiss();
        return null;
      }
      answers.push({ index: question.index, answer: choiceAnswer(question, answer.optionId) });
    }
    return answers;
  }

  async #step(use: PermissionToolUse): Promise<PermissionStep & { readonly tool: ToolState }> {
    const { toolContext } = this.#host;
    const tool = await this.#tools.permissionRequested(use.toolUse);
    const changes = permissionChanges(use.details, toolContext.cwd, (path) =>
      tool.before.get(path),
    );
    if (changes.length > 0) tool.permissionChanges = changes;
    const content = stepContent(use, changes);
    const { title } = describeTool(tool.name, tool.input, toolContext);
    return { tool, title, content, input: tool.input };
  }

  /** Droid has no counterpart to ACP's outcome `cancelled`, so its turn is stopped. */
  #dismiss(): void {
    this.dismissed = true;
    this.#host.interrupt();
  }

  async #toolProgress(event: ToolProgressEvent): Promise<void> {
    await this.#tools.progress(event);
    await this.#subagents?.progress(event);
  }

  async #toolResult(event: ToolResultEvent): Promise<void> {
    await this.#tools.result(event, this.#isCancelled);
    await this.#subagents?.result(event);
  }

  get #isCancelled(): boolean {
    return this.#turn.signal.aborted || this.dismissed;
  }

  #chunk(
    sessionUpdate: "agent_message_chunk" | "agent_thought_chunk",
    droidId: string,
    text: string,
  ): Promise<void> {
    if (droidId !== this.#lastShown) {
      this.#lastShown = droidId;
      this.#shown.add(droidId);
    }
    const retries = this.#retries.size === 0 ? 0 : (this.#retries.get(droidId) ?? 0);
    const id = retries === 0 ? droidId : retryId(droidId, retries);
    const messageId = sessionUpdate === "agent_message_chunk" ? id : thoughtId(id);
    return this.#turn.update({ sessionUpdate, messageId, content: { type: "text", text } });
  }

  /** ACP cannot retract a message, so the client gets a notice and then a new message. */
  async #retracted(messageId: string): Promise<void> {
    if (!this.#shown.delete(messageId)) return;
    this.#lastShown = "";
    this.#retries.set(messageId, (this.#retries.get(messageId) ?? 0) + 1);
    await this.#host.notify({
      severity: "warning",
      title: "The answer broke off and starts over",
      description: "Ignore the part shown so far.",
    });
  }

  async #state(state: string): Promise<void> {
    if (state !== "compacting_conversation" || this.#compaction !== undefined) return;
    this.#compaction = `compaction-${Date.now().toString(36)}`;
    if (this.#turn.client.can("session.compaction"))
      await this.#turn.compaction(this.#compaction, "in_progress");
    else await this.#host.notify({ severity: "info", title: "Compacting the conversation" });
  }

  async #notice(event: Extract<DroidEvent, { type: "notice" }>): Promise<void> {
    // Droid repeats an error as a message for the user. It becomes the error of the prompt.
    if (event.kind === "message" && this.#failed) {
      this.failureMessage = event.text;
      return;
    }
    if (event.kind === "compaction" && this.#turn.client.can("session.compaction")) {
      const id = this.#compaction ?? event.summaryId ?? "compaction";
      this.#compaction = undefined;
      return this.#turn.compaction(id, "completed");
    }
    const notice = noticeOf(event);
    if (notice) await this.#host.notify(notice);
  }
}

const DONE = Promise.resolve();

import { quiet, within, type JsonObject } from "../../../base/index.ts";
import type {
  SessionUpdate,
  ToolCallUpdate,
  SubagentDetails,
} from "../../../protocol/acp/index.ts";
import type { Notice, Turn, SubagentHandle } from "../../../agent/index.ts";
import type {
  AskUserAnswer,
  AskUserRequest,
  DroidClient,
  DroidEvent,
  DroidPermissionAnswer,
  DroidPermissionRequest,
  PermissionToolUse,
  PromptInput,
  ToolProgressEvent,
  ToolResultEvent,
  ToolCallEvent,
} from "../../../droid/index.ts";
import { permissionChanges } from "../translate/diffs.ts";
import { noticeOf } from "../translate/notices.ts";
import {
  allSteps,
  choiceAnswer,
  formAnswers,
  permissionAnswer,
  permissionOptions,
  type PermissionStep,
  questionChoices,
  questionForm,
  questionText,
  stepContent,
} from "../translate/requests.ts";
import { describeTool, TASK_TOOL } from "../translate/tool-names.ts";
import { textContent } from "../translate/tool-results.ts";
import { type ToolHost, ToolRelay, type ToolState } from "./tool-relay.ts";
import { toPlan } from "../translate/plans.ts";
import { subagentDetails, activityAfter } from "./subagent-relay.ts";

interface TurnHost extends Omit<ToolHost, "reportTerminal"> {
  /** Whether Droid runs sub-agents in the background by default. */
  readonly backgroundTasks: boolean;
  notify(notice: Notice): Promise<void>;
  /** Handles an event that concerns the session rather than the turn. */
  sessionEvent(event: DroidEvent): Promise<void>;
  interrupt(): void;
}

/** Last resort: a Droid that ignores an interrupt is ended. The next prompt restarts it. */
const CANCEL_LIMIT_MS = 8000;

/**
 * Sends a prompt to Droid and forwards all events until the turn is over. Rejects with
 * DroidExitedError if Droid exits. In both cases, no tool call stays open.
 */
export async function relayTurn<S>(
  turn: Turn<S>,
  droid: DroidClient,
  input: PromptInput,
  host: Omit<TurnHost, "interrupt">,
) {
  const stop = async (): Promise<void> => {
    if (!(await within(running.cancel(), CANCEL_LIMIT_MS))) await droid.close();
  };
  const cancel = (): void => void quiet(stop());
  const relay = new EventRelay(turn, { ...host, interrupt: cancel });
  const order = new EventOrder();
  const running = droid.prompt(input, {
    // A replay has the message under the id that the client knows. Before 0.215, Droid chooses another one.
    messageId: turn.messageId,
    whenBusy: "wait",
    onPermission: async (request) => {
      await order.caughtUp();
      return relay.permission(request);
    },
    onAskUser: async (request) => {
      await order.caughtUp();
      return relay.question(request);
    },
  });
  const unsubscribe = droid.onEvent((event, turnId) => {
    if (turnId !== running.id) return;
    order.received();
    relay.record(event);
  });
  if (turn.signal.aborted) cancel();
  else turn.signal.addEventListener("abort", cancel, { once: true });
  try {
    for await (const event of running) {
      await relay.event(event);
      order.forwarded();
    }
    const result = await running.result;
    return { result, failureMessage: relay.failureMessage, dismissed: relay.dismissed };
  } finally {
    unsubscribe();
    turn.signal.removeEventListener("abort", cancel);
    await relay.settle();
  }
}

const DONE = Promise.resolve();

/** Relays one turn: forwards events, permission requests and questions from Droid to the client. */
class EventRelay<S> {
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
    // A message that starts over after a retraction must not extend the old one.
    const id = retries === 0 ? droidId : `${droidId}-${retries + 1}`;
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

/**
 * Keeps events and questions in order. Questions from Droid arrive at once, but events are forwarded only
 * when the client can take more. A question must not overtake the events before it.
 */
class EventOrder {
  #received = 0;
  #forwarded = 0;
  #waiting: { readonly until: number; readonly go: () => void }[] = [];

  received(): void {
    this.#received++;
  }

  forwarded(): void {
    this.#forwarded++;
    if (this.#waiting.length === 0) return;
    for (const { until, go } of this.#waiting) if (until <= this.#forwarded) go();
    this.#waiting = this.#waiting.filter(({ until }) => until > this.#forwarded);
  }

  caughtUp(): Promise<void> {
    const until = this.#received;
    if (this.#forwarded >= until) return Promise.resolve();
    return new Promise((go) => this.#waiting.push({ until, go }));
  }
}

type ReportedSubagent = Pick<SubagentHandle, "describe" | "update">;

interface SubagentRelayHost {
  /** Reports a sub-agent to the client, under its id in Droid. */
  open(details: SubagentDetails, id: string): Promise<ReportedSubagent>;
  /** Whether Droid runs sub-agents in the background by default (from 0.215 on). */
  readonly background: boolean;
}

/** Sends the sub-agents of one turn to the client, as sessions of their own. */
export class SubagentRelay {
  readonly #host: SubagentRelayHost;
  readonly #inputs = new Map<string, JsonObject>();
  readonly #running = new Map<string, { readonly handle: ReportedSubagent; messages: number }>();

  constructor(host: SubagentRelayHost) {
    this.#host = host;
  }

  call({ id, name, input }: ToolCallEvent): void {
    if (name === TASK_TOOL) this.#inputs.set(id, input);
  }

  /** Reports a sub-agent that has started, and its messages. */
  async progress({ id, text, raw, subagentSessionId }: ToolProgressEvent): Promise<void> {
    const input = this.#inputs.get(id);
    if (!input) return;
    if (subagentSessionId !== undefined && !this.#running.has(id)) {
      const handle = await this.#host.open(subagentDetails(input), subagentSessionId);
      this.#running.set(id, { handle, messages: 0 });
    }
    const subagent = this.#running.get(id);
    if (!subagent || raw["type"] !== "message" || text.trim() === "") return;
    const messageId = `${id}-${++subagent.messages}`;
    const content = { type: "text", text } as const;
    await subagent.handle.update({ sessionUpdate: "agent_message_chunk", messageId, content });
  }

  async result({ id, content, isError }: ToolResultEvent): Promise<void> {
    const subagent = this.#running.get(id);
    if (!subagent) return;
    this.#running.delete(id);
    const { background } = this.#host;
    const input = this.#inputs.get(id) ?? {};
    await subagent.handle.describe({
      state: activityAfter({ input, content, isError, background }),
    });
  }

  /** Reports sub-agents without a result as stopped. Call it when the turn is over. */
  async settle(): Promise<void> {
    for (const { handle } of this.#running.values())
      await handle.describe({ state: { state: "idle", stopReason: "cancelled" } });
    this.#running.clear();
  }
}

/**
 * The id for the thoughts of a message. In Droid, thoughts and text share one id; in ACP they are two
 * messages.
 */
export function thoughtId(messageId: string): string {
  return `${messageId}-thoughts`;
}

import {
  type ContentBlock,
  type ToolCallState,
  isAnyUpdate,
  type AnyUpdate,
  type BackgroundWork,
  BoundedMap,
  isFinished,
  mergeToolCall,
  TOOL_CALL_RULES,
} from "../../../protocol/acp/index.ts";
import { collectAnswer, type Session } from "../../../client/index.ts";
import { CliError } from "../shell/exit.ts";
import type { UsageFacts, TurnTokens } from "../render/renderer.ts";
import {
  AnswerText,
  sanitizeLine,
  definedFields,
  isJsonObject,
  type JsonObject,
} from "../../../base/index.ts";
import { phaseFailure, type RunningAgent } from "../connect/connect.ts";
import type { Context } from "../context/context.ts";
import type { Budget } from "../context/budget.ts";
import { rememberSession } from "./session.ts";
import { toolTitle } from "../render/text/tool-output.ts";
import { markCommandsReported, reportCommands } from "./available-commands.ts";

export interface TurnSummary {
  readonly text: string;
  /** The last message. */
  readonly finalMessage: string;
  /** True if `text` is only the beginning of the answer. */
  readonly truncated: true | undefined;
  readonly stopReason: string | undefined;
  readonly usage: UsageFacts | undefined;
  readonly error: CliError | undefined;
}

/**
 * Runs one turn and shows it. The first signal asks the agent to cancel and prints a note, the second ends the
 * agent. An agent that ignores the cancel is ended after a grace period. A turn that passes a limit of the budget
 * is cancelled. `--continue` finds the session later, unless `remember` is false. Never throws.
 */
export async function runTurn(
  context: Context,
  connected: RunningAgent,
  session: Session,
  blocks: readonly ContentBlock[],
  { remember = true }: { readonly remember?: boolean } = {},
): Promise<TurnSummary> {
  const { interrupts, renderer, screen, budget, shown } = context;
  const { client, agent } = connected;
  const answer = new AnswerText();
  let stopReason: string | undefined;
  let error: CliError | undefined;
  let usage: UsageFacts | undefined;
  let stop = (): void => {};
  let isOver = false;
  try {
    const { commands } = session;
    budget.beginTurn(session.cost);
    const turn = session.prompt(blocks);
    if (remember) rememberSession(context, connected, session);
    stop = interrupts.listen({
      first: (name) => {
        const again = name === "SIGINT" ? "; press Ctrl-C again to end it at once" : "";
        renderer.note(`asking ${agent.name} to cancel${again}`);
        screen.status("cancelling");
        void turn.cancel();
      },
      second: () => void client.close(),
    });
    context.onClosed = () => void turn.cancel();
    const activity = new Activity(`waiting for ${agent.name}`);
    screen.status(sanitizeLine(`waiting for ${agent.name}`));
    await reportCommands(renderer, session, commands);
    for await (const update of shown.through(turn)) {
      if (!isAnyUpdate(update)) continue;
      collectAnswer(answer, update);
      budget.take(update);
      if (!isOver && budget.passed !== undefined) {
        isOver = true;
        screen.status("cancelling");
        void turn.cancel();
      }
      if (!isOver && interrupts.arrived === undefined) screen.status(activity.take(update));
      await renderer.update(update);
      shown.shown();
      await screen.drained();
    }
    const result = await turn.result;
    stopReason = result.stopReason;
    usage = turnUsageFacts(session, result.raw);
    budget.endTurn(usage?.tokens?.total);
    for (const note of budget.missingReports(agent.name)) renderer.note(note);
  } catch (thrown) {
    error = await phaseFailure(context, connected, "turn", thrown);
    usage = turnUsageFacts(session, undefined);
  } finally {
    markCommandsReported(session);
    stop();
    context.onClosed = () => {};
    screen.status(undefined);
  }
  return {
    text: answer.text,
    finalMessage: answer.finalMessage,
    truncated: answer.isTruncated ? true : undefined,
    stopReason,
    usage,
    error: interrupts.error() ?? overBudget(budget, isOver, error) ?? error,
  };
}

/** The error for a limit that was passed. An error of the turn itself, such as an ignored cancel, follows it. */
function overBudget(
  { passed }: Budget,
  wasCancelled: boolean,
  error: CliError | undefined,
): CliError | undefined {
  if (passed === undefined) return undefined;
  const what = wasCancelled ? `${passed}; the turn was cancelled` : passed;
  return new CliError("budget", {
    ...error?.details,
    what: error === undefined ? what : `${what}; ${error.details.what}`,
    hint: "a higher limit",
  });
}

/**
 * The usage that an agent reports: the context and the cost of the session from its updates, the tokens
 * of the turn from the result of the turn. Undefined if it reports neither; unknown numbers are left out.
 */
export function turnUsageFacts(
  { contextUsage, cost }: Pick<Session, "contextUsage" | "cost">,
  result: unknown,
): UsageFacts | undefined {
  const tokens = tokensOf(isJsonObject(result) ? result["usage"] : undefined);
  if (contextUsage === undefined && tokens === undefined) return undefined;
  return { ...contextUsage, ...definedFields({ cost, tokens }) };
}

function tokensOf(usage: unknown): TurnTokens | undefined {
  if (!isJsonObject(usage)) return undefined;
  const total = count(usage, "totalTokens");
  if (total === undefined) return undefined;
  return {
    total,
    ...definedFields({
      input: count(usage, "inputTokens"),
      output: count(usage, "outputTokens"),
      thought: count(usage, "thoughtTokens"),
      cachedRead: count(usage, "cachedReadTokens"),
      cachedWrite: count(usage, "cachedWriteTokens"),
    }),
  };
}

function count(usage: JsonObject, name: string): number | undefined {
  const value = usage[name];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Says in a few words what an agent is doing, for the spinner. Follows the updates of a session. */
export class Activity {
  readonly #otherwise: string;
  readonly #calls = new BoundedMap<ToolCallState>(TOOL_CALL_RULES);
  #label: string;

  /** `otherwise` is the label while nothing is known, such as "waiting for droid". */
  constructor(otherwise: string) {
    this.#otherwise = sanitizeLine(otherwise);
    this.#label = this.#otherwise;
  }

  take(update: AnyUpdate): string {
    switch (update.type) {
      case "agent_thought_chunk":
        this.#label = "thinking";
        break;
      case "agent_message_chunk":
        this.#label = "writing";
        break;
      case "tool_call":
      case "tool_call_update": {
        const { toolCallId } = update;
        const call = mergeToolCall(this.#calls.get(toolCallId), update);
        if (!isFinished(call.status)) this.#calls.set(toolCallId, call);
        else this.#calls.delete(toolCallId);
        this.#label = this.#runningCall() ?? this.#otherwise;
        break;
      }
      case "state_update":
        if (update.activity === "requires_action") this.#label = "waiting for you";
        else if (this.#label === "waiting for you") this.#label = this.#otherwise;
        break;
      default:
    }
    return this.#label;
  }

  /** The call that started last, and how many others run. */
  #runningCall(): string | undefined {
    const calls = [...this.#calls.values()];
    const newest = calls.at(-1);
    if (newest === undefined) return undefined;
    const title = toolTitle(newest);
    return calls.length === 1 ? title : `${title} and ${calls.length - 1} more`;
  }
}

/** Notes that work in the background is about to end, because the agent ends with this run. */
export function reportEndingWork(
  { renderer }: Context,
  { agent, isWarm }: RunningAgent,
  session: Session,
): void {
  if (isWarm) return;
  const names = (session.background ?? []).map((work) => nameOf(work, session));
  if (names.length === 0 || session.state !== "open") return;
  renderer.note(`${agent.name} ends now, and its background work with it: ${names.join(", ")}`);
}

function nameOf(work: BackgroundWork, session: Session): string {
  switch (work.type) {
    case "terminal":
      return session.terminals.get(work.terminalId)?.command ?? work.terminalId;
    case "tool_call":
      return session.toolCalls.get(work.toolCallId)?.title ?? work.toolCallId;
    case "unknown":
      return "work of an unknown type";
  }
}

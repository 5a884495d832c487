import type { ContentBlock } from "../../../protocol/acp/index.ts";
import type { Session } from "../../../client/index.ts";
import { CliError } from "../shell/exit.ts";
import type { UsageFacts } from "../render/renderer.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import { failureOf } from "../connect/connect.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import type { Context } from "../context/context.ts";
import { Activity } from "./activity.ts";
import { AnswerText } from "./answer-text.ts";
import type { Budget } from "../context/budget.ts";
import { rememberSession } from "./session.ts";
import { markCommandsReported, reportCommands } from "./reported-commands.ts";
import { usageFacts } from "./usage.ts";

/** The outcome of one turn. */
export interface TurnSummary {
  readonly text: string;
  /** The part of the text after the last tool call. */
  readonly finalText: string;
  /** True if `text` is only the beginning of the answer. */
  readonly truncated: true | undefined;
  readonly stopReason: string | undefined;
  readonly usage: UsageFacts | undefined;
  readonly error: CliError | undefined;
}

/** How a turn is run. */
export interface TurnOptions {
  /** Whether `--continue` finds the session. Default: true. */
  readonly remember?: boolean;
}

/**
 * Runs one turn and shows it. The first signal asks the agent to cancel and prints a note, the second
 * ends the agent. An agent that ignores the cancel is ended after a grace period. A turn that passes a limit of the budget is cancelled. Never throws.
 */
export async function runTurn(
  context: Context,
  connected: RunningAgent,
  session: Session,
  blocks: readonly ContentBlock[],
  { remember = true }: TurnOptions = {},
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
    budget.beginTurn(session.usage);
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
    screen.status(sanitiseLine(`waiting for ${agent.name}`));
    await reportCommands(renderer, session, commands);
    for await (const update of shown.through(turn)) {
      if (update.type === "tool_call") answer.toolCall();
      answer.add(update.text);
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
    usage = usageFacts(session.usage, result.raw);
    budget.endTurn(result.raw);
    for (const note of budget.missingReports(agent.name)) renderer.note(note);
  } catch (thrown) {
    error = await failureOf(context, connected, "turn", thrown);
    usage = usageFacts(session.usage, undefined);
  } finally {
    markCommandsReported(session);
    stop();
    context.onClosed = () => {};
    screen.status(undefined);
  }
  return {
    text: answer.text,
    finalText: answer.finalText,
    truncated: answer.truncated ? true : undefined,
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

import {
  type ActionSpec,
  type ParsedCommandLine,
  readAction,
  type Values,
} from "../shell/parse.ts";
import { CliError, EXIT, type ExitCode } from "../shell/exit.ts";
import { openInspection } from "../inspect/inspection.ts";
import type { Io } from "../shell/io.ts";
import type { PermissionPolicy } from "../permissions/policy.ts";
import type { ResultFacts } from "../render/renderer.ts";
import { connect, type RunningAgent } from "./connect.ts";
import { alreadyEnding } from "../shell/interrupts.ts";
import { openContext, reportFailure, type Context } from "../context/context.ts";
import type { Chosen } from "../agents/select.ts";
import { plainResult } from "../render/json/events.ts";

export type Connect = (chosen: Chosen, policy: PermissionPolicy) => Promise<RunningAgent>;

export interface AgentCommand {
  run(context: Context, connect: Connect): Promise<void>;
  /** The facts of its turn, for the result. A command that runs no turn has none. */
  facts?(): Partial<ResultFacts>;
  /** True if each turn of the command reports a result of its own, as in a chat. */
  readonly ownResults?: boolean;
  /** A failure that the user's flags ask for, although the work itself succeeded. */
  lateFailure?(context: Context): CliError | undefined;
}

/**
 * Runs a command and ends the agent that it started. Reports the result and the failure only then, so
 * that they are the last lines on stdout and stderr.
 */
export async function runCommand(io: Io, values: Values, command: AgentCommand): Promise<ExitCode> {
  const context = await openContext(io, values, { isChat: command.ownResults === true });
  try {
    const code = report(context, command, await failureOf(context, command));
    // A person who looks at the page needs it longer than the run. A chat ends when the person wants it.
    if (context.inspector && command.ownResults !== true) await untilSignal(context);
    return code;
  } finally {
    await context.inspector?.close();
    context.dispose();
  }
}

/** Does the work of one action. Gets the words after its name, and the first of them. Throws a CliError. */
type ActionHandler = (
  context: Context,
  word: string,
  words: readonly string[],
) => Promise<void> | void;

/** Runs the action of a command that starts no agent. Throws a usage error if the words name none. */
export function runAction<Name extends string>(
  parsed: ParsedCommandLine,
  io: Io,
  actions: Readonly<Record<Name, ActionSpec>>,
  handlers: Readonly<Record<Name, ActionHandler>>,
): Promise<ExitCode> {
  const { action, rest } = readAction(parsed, actions);
  return runCommand(io, parsed.values, {
    run: async (context) => {
      await handlers[action](context, rest[0] ?? "", rest);
      await context.screen.drained();
    },
  });
}

/** Runs the command and waits until its agent has ended. Throws only unexpected errors. */
async function failureOf(context: Context, command: AgentCommand): Promise<CliError | undefined> {
  let connected: RunningAgent | undefined;
  try {
    await command.run(context, async (chosen, policy) => {
      await openInspection(context, chosen.agent.name);
      connected = await connect(context, chosen, policy);
      return connected;
    });
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  } finally {
    context.screen.status(undefined);
    const stop = context.interrupts.listen({ first: alreadyEnding, second: alreadyEnding });
    await connected?.close();
    stop();
  }
}

/** Waits on a terminal until the user ends the run. */
async function untilSignal({ io, interrupts, renderer }: Context): Promise<void> {
  if (!io.stderr.isTty || interrupts.arrived !== undefined) return;
  renderer.note("the page stays open until Ctrl-C");
  await new Promise<void>((resolve) => {
    interrupts.listen({ first: () => resolve() });
  });
}

function report(context: Context, command: AgentCommand, thrown: CliError | undefined): ExitCode {
  const { io, renderer, screen, startedAt } = context;
  // The reader of stdout has closed it, as `head` does, so a result would be lost.
  if (screen.closed) return EXIT.done;
  const failure = thrown ?? command.lateFailure?.(context);
  if (command.ownResults !== true || failure !== undefined) {
    renderer.result({ ...plainResult(io.now() - startedAt, failure), ...command.facts?.() });
  }
  if (failure !== undefined) reportFailure(context, failure);
  return failure?.code ?? EXIT.done;
}

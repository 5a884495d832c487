import type { ContentBlock, AvailableCommand } from "../../../../protocol/acp/index.ts";
import type { Session } from "../../../../client/index.ts";
import type { ParsedCommandLine, Values } from "../../shell/parse.ts";
import { commandLike, type PromptFacts } from "./first-word.ts";
import { countOption, failOnOption, setOptions, timeOption } from "../../shell/option-values.ts";
import { CliError, usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { readPrompt, stdinHoldsText } from "../../prompt/read.ts";
import type { ResultFacts } from "../../render/renderer.ts";
import { type RunningAgent, runPhase, sentCapabilities } from "../../connect/connect.ts";
import { runCommand, type AgentCommand, type Connect } from "../../connect/run-command.ts";
import type { Context } from "../../context/context.ts";
import type { SchemaRequest } from "../../session/structured.ts";
import { reportEndingWork, runTurn, type TurnSummary } from "../../session/turn.ts";
import { policyOf } from "../../permissions/policy.ts";
import { discardSession, openSession, configOptionOf } from "../../session/session.ts";
import { isFlagHint, denialLine } from "../../render/text/phrases.ts";
import { chooseAgent } from "../../agents/select.ts";
import {
  capsList,
  choiceList,
  commandList,
  listedChoices,
  optionList,
} from "../../render/text/listings.ts";
import { markCommandsReported } from "../../session/available-commands.ts";

/** `dragoman [options] [--] [prompt]`: runs one turn, or only prints the lists of `--list-*`. */
export function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { values, words, isLiteral } = parsed;
  const refused = isLiteral
    ? undefined
    : commandLike(values.grammar, words, promptFacts(values, io));
  if (refused !== undefined) throw refused;
  return runCommand(io, values, promptCommand(words));
}

function promptFacts(values: Values, io: Io): PromptFacts {
  const names: readonly string[] = values.names();
  const given = (...options: readonly string[]): boolean =>
    options.some((option) => names.includes(option));
  return {
    hasText: given("file", "image") || (!given("no-stdin") && stdinHoldsText(io)),
    continues: given("resume", "continue", "session"),
  };
}

function promptCommand(words: readonly string[]): AgentCommand {
  let running: RunningAgent | undefined;
  let opened: Session | undefined;
  let outcome: TurnSummary | undefined;
  /** The answer that matches the schema. */
  let answer: { readonly value: unknown } | undefined;
  const run = async (context: Context, connect: Connect): Promise<void> => {
    const { values, renderer } = context;
    checkValues(context);
    const lists = SESSION_LISTS.filter((name) => values.flag(name));
    const listsCaps = values.flag("list-caps");
    const isOptional = listsCaps || lists.length > 0;
    const prompt = await readPrompt(context, words, isOptional);
    const schema = await requestedSchema(context);
    const chosen = await chooseAgent(context);
    checkValues(context);
    const policy = await policyOf(context);
    for (const note of prompt.notes) renderer.note(note);
    const connected = await connect(chosen, policy);
    running = connected;
    if (listsCaps) showCaps(context, connected);
    const hasPrompt = prompt.blocks.length > 0;
    if (!hasPrompt && lists.length === 0) return;
    const [session] = await openSession(context, connected);
    opened = session;
    for (const list of lists) await showList(context, connected, session, list);
    if (!hasPrompt || context.screen.closed) {
      if (isProbe(values)) await discardSession(context, connected, session);
      return;
    }
    const ask = async (blocks: readonly ContentBlock[]): Promise<TurnSummary> => {
      const turn = await runTurn(context, connected, session, blocks);
      outcome = turn;
      if (turn.error !== undefined) throw turn.error;
      return turn;
    };
    const startedAt = context.io.now();
    try {
      if (schema === undefined) await ask(prompt.blocks);
      else answer = await schema.answer(prompt.blocks, ask);
    } finally {
      await notify(context, connected, startedAt);
      reportEndingWork(context, connected, session);
    }
  };
  const facts = (): Partial<ResultFacts> => ({
    text: outcome?.text ?? "",
    truncated: outcome?.truncated,
    ...(answer === undefined ? {} : { answer: answer.value }),
    stopReason: outcome?.stopReason,
    usage: outcome?.usage,
    sessionId: opened?.id,
    denied: running?.prompter.denied ?? [],
  });
  const lateFailure = ({ values }: Context): CliError | undefined => {
    const denied = running?.prompter.denied ?? [];
    const [first] = denied;
    if (values.flag("strict-permissions") && first !== undefined) {
      const more = denied.length > 1 ? ` and ${denied.length - 1} more` : "";
      return first.hint === undefined || isFlagHint(first.hint)
        ? new CliError("permission", { what: `denied: ${first.what}${more}`, hint: first.hint })
        : new CliError("permission", { what: `${denialLine(first)}${more}` });
    }
    const reason = outcome?.stopReason;
    if (reason !== undefined && failOnOption(values)(reason)) {
      return new CliError("stoppedEarly", { what: `the turn stopped early: ${reason}` });
    }
    return undefined;
  };
  return { run, facts, lateFailure };
}

async function notify(context: Context, { agent }: RunningAgent, startedAt: number): Promise<void> {
  if (context.preferences.notifications !== true) return;
  const { notification } = await import("../../tty/notify.ts");
  const durationMs = context.io.now() - startedAt;
  context.screen.control(notification(context, { agent: agent.name, durationMs }));
}

/** Whether a run without a prompt only looks at its session, which is then deleted. */
function isProbe(values: Values): boolean {
  const names = ["resume", "continue", "session", "save-session"] as const;
  return names.every((name) => values.origin(name) === undefined);
}

/** The schema of `--schema`, read before anything is started. The code for it is loaded only if there is one. */
async function requestedSchema(context: Context): Promise<SchemaRequest | undefined> {
  if (context.values.text("schema") === undefined) return undefined;
  const { readSchema } = await import("../../session/structured.ts");
  return readSchema(context);
}

/** Reports invalid option values before anything is started. */
function checkValues({ values }: Context): void {
  setOptions(values.list("set"));
  failOnOption(values);
  if (countOption(values, "schema-retries") !== undefined && values.text("schema") === undefined)
    throw usageError("--schema-retries needs --schema");
  for (const name of ["timeout", "idle-timeout", "start-timeout"] as const)
    timeOption(values, name);
}

/** How long an agent may take to send its commands once the session is open. */
const COMMANDS_WAIT_MS = 3000;

/** The lists that need a session, in the order in which they are printed. */
const SESSION_LISTS = ["list-modes", "list-models", "list-options", "list-commands"] as const;

/** Prints a list. A config option may replace the modes. */
async function showList(
  context: Context,
  connected: RunningAgent,
  session: Session,
  list: (typeof SESSION_LISTS)[number],
): Promise<void> {
  const { renderer } = context;
  const { facts: agent } = connected;
  switch (list) {
    case "list-modes": {
      const { modes } = session;
      const { current, choices } = choicesIn(session, "mode") ?? {
        current: modes?.currentModeId,
        choices: modes?.availableModes ?? [],
      };
      return renderer.list(choiceList("modes", agent, choices, current));
    }
    case "list-models": {
      const { current, choices = [] } = choicesIn(session, "model") ?? {};
      return renderer.list(choiceList("models", agent, choices, current));
    }
    case "list-options":
      return renderer.list(optionList(agent, session.configOptions ?? []));
    case "list-commands":
      return showCommands(context, connected, session);
  }
}

function choicesIn(session: Session, category: "mode" | "model") {
  const option = configOptionOf(session, category);
  if (option?.type !== "select") return undefined;
  return { current: option.currentValue, choices: listedChoices(option) };
}

function showCaps({ renderer }: Context, { client, facts }: RunningAgent): void {
  const methods = client.agent.authMethods.map(({ id, name }) => ({ id, name }));
  renderer.list(capsList(facts, sentCapabilities(client) ?? {}, methods));
}

/** `--list-commands`: prints the agent's commands, which it has a limited time to send. */
async function showCommands(
  context: Context,
  connected: RunningAgent,
  session: Session,
): Promise<void> {
  const commands = await runPhase(context, connected, "session", (signal) =>
    waitForCommands(session, context.io.timing?.commandsWaitMs ?? COMMANDS_WAIT_MS, signal),
  );
  context.renderer.list(commandList(connected.facts, commands));
  markCommandsReported(session);
}

async function waitForCommands(
  session: Session,
  ms: number,
  signal: AbortSignal,
): Promise<readonly AvailableCommand[] | undefined> {
  if (session.commands.length > 0) return session.commands;
  const updates = session.updates();
  const stop = (): void => void updates.return?.();
  const timer = setTimeout(stop, ms);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const update of updates) {
      if (update.type === "available_commands_update") return update.commands;
    }
    signal.throwIfAborted();
    return undefined;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

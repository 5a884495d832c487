import type { Session } from "../../client/index.ts";
import { COMMANDS } from "../args/options.ts";
import type { ParsedCommandLine } from "../args/parse.ts";
import { nearest } from "../args/suggest.ts";
import { failOn, setOptions, timeOption } from "../args/values.ts";
import { CliError, usageError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import { assemblePrompt, type AssembledPrompt } from "../prompt/assemble.ts";
import { readStdin, stdinHoldsText } from "../prompt/stdin.ts";
import { isFlag, refusalLine, type ResultFacts } from "../render/renderer.ts";
import { chooseAgent } from "../agents/choose.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import { runCommand, type AgentCommand, type Connect } from "../run/command.ts";
import type { Context } from "../run/context.ts";
import { listsOf, showCaps, showCommands, showModes } from "../session/lists.ts";
import { reportEndingWork } from "../session/background.ts";
import { policyOf } from "../permissions/from-flags.ts";
import { openSession } from "../session/session.ts";
import { runTurn, type TurnSummary } from "../session/turn.ts";

/** `dragoman [options] [--] [prompt]`: runs one turn, or only prints the lists of `--list-*`. */
export function promptCommand({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  return runCommand(io, values, new PromptCommand(words));
}

class PromptCommand implements AgentCommand {
  readonly #words: readonly string[];
  #connected: RunningAgent | undefined;
  #session: Session | undefined;
  #outcome: TurnSummary | undefined;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  async run(context: Context, connect: Connect): Promise<void> {
    const { values, renderer } = context;
    checkValues(context);
    const lists = listsOf(values);
    const isOptional = lists.caps || lists.modes || lists.commands;
    const prompt = await readPrompt(context, this.#words, isOptional);
    const policy = await policyOf(context);
    const chosen = await chooseAgent(context);
    for (const note of [...prompt.notes, ...misspeltCommand(this.#words)]) renderer.note(note);
    const connected = await connect(chosen, policy);
    this.#connected = connected;
    if (lists.caps) showCaps(context, connected);
    const hasPrompt = prompt.blocks.length > 0;
    if (!hasPrompt && !lists.modes && !lists.commands) return;
    this.#session = await openSession(context, connected);
    if (lists.modes) showModes(context, connected, this.#session);
    if (lists.commands) await showCommands(context, connected, this.#session);
    if (!hasPrompt || context.screen.closed) return;
    this.#outcome = await runTurn(context, connected, this.#session, prompt.blocks);
    reportEndingWork(context, connected, this.#session);
    if (this.#outcome.error !== undefined) throw this.#outcome.error;
  }

  facts(): Partial<ResultFacts> {
    return {
      text: this.#outcome?.text ?? "",
      truncated: this.#outcome?.truncated,
      stopReason: this.#outcome?.stopReason,
      usage: this.#outcome?.usage,
      sessionId: this.#session?.id,
      denied: this.#connected?.prompter.denied ?? [],
    };
  }

  lateFailure({ values }: Context): CliError | undefined {
    const denied = this.#connected?.prompter.denied ?? [];
    const [first] = denied;
    if (values.flag("strict-permissions") && first !== undefined) {
      const more = denied.length > 1 ? ` and ${denied.length - 1} more` : "";
      return first.hint === undefined || isFlag(first.hint)
        ? new CliError("permission", { what: `denied: ${first.what}${more}`, hint: first.hint })
        : new CliError("permission", { what: `${refusalLine(first)}${more}` });
    }
    const reason = this.#outcome?.stopReason;
    if (reason !== undefined && failOn(values)(reason)) {
      return new CliError("stoppedEarly", { what: `the turn stopped early: ${reason}` });
    }
    return undefined;
  }
}

async function readPrompt(
  context: Context,
  words: readonly string[],
  isOptional: boolean,
): Promise<AssembledPrompt> {
  const { values, io } = context;
  const files = values.list("file").filter((file) => file !== "-");
  const stdin = await promptFromStdin(context, values.list("file").length > files.length);
  const parts = { words, files, images: values.list("image"), stdin };
  const prompt = await assemblePrompt(parts, { cwd: io.cwd, home: io.home });
  if (prompt.blocks.length === 0 && !isOptional) {
    throw usageError(
      "there is no prompt",
      'dragoman "a question", dragoman chat, or dragoman --help',
    );
  }
  return prompt;
}

async function promptFromStdin(
  { io, values, interrupts, screen }: Context,
  isRequested: boolean,
): Promise<string | undefined> {
  if (isRequested && values.flag("no-stdin"))
    throw usageError("-f - and --no-stdin contradict each other");
  if (values.flag("no-stdin") || (!isRequested && !stdinHoldsText(io))) return undefined;
  const controller = new AbortController();
  const stop = interrupts.listen({ first: () => controller.abort(interrupts.error()) });
  const silent = (): void =>
    screen.story("dragoman: waiting for stdin; use --no-stdin to ignore it");
  try {
    return await readStdin(io, silent, controller.signal);
  } finally {
    stop();
  }
}

/** A note if the prompt is a single word that may be a misspelt command. */
function misspeltCommand([word, ...more]: readonly string[]): readonly string[] {
  if (word === undefined || more.length > 0 || !/^[a-z]+$/i.test(word)) return [];
  const names: readonly string[] = COMMANDS.map(({ name }) => name);
  const near = nearest(word, names);
  // The exact name of a command gets here only after `--`.
  if (near === undefined || near === word) return [];
  return [`sending "${word}" as a prompt; did you mean dragoman ${near}?`];
}

/** Reports invalid option values before anything is started. */
function checkValues({ values }: Context): void {
  setOptions(values);
  failOn(values);
  for (const name of ["timeout", "idle-timeout", "start-timeout"] as const)
    timeOption(values, name);
}

import type { Session } from "../../client/index.ts";
import { COMMANDS } from "../args/options.ts";
import type { ParsedCommandLine } from "../args/parse.ts";
import { nearest } from "../args/suggest.ts";
import { failOn, setOptions, timeOption } from "../args/values.ts";
import { CliError, EXIT, usageError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import { assemblePrompt, type AssembledPrompt } from "../prompt/assemble.ts";
import { readStdin, stdinHoldsText } from "../prompt/stdin.ts";
import { isFlag, refusalLine } from "../render/renderer.ts";
import { chooseAgent } from "../agents/choose.ts";
import { connect } from "../connect/connect.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import { createContext, reportFailure, type Context } from "../run/context.ts";
import { listsOf, showCaps, showCommands, showModes } from "../session/lists.ts";
import { policyOf } from "../permissions/from-flags.ts";
import { openSession } from "../session/session.ts";
import { runTurn, type TurnSummary } from "../session/turn.ts";

/** `dragoman [options] [--] [prompt]`: one turn, or only what `--list-*` ask for. */
export async function promptCommand(
  { values, words }: ParsedCommandLine,
  io: Io,
): Promise<ExitCode> {
  const context = createContext(io, values);
  const run = new PromptRun(context, words);
  try {
    await run.start();
    return await run.end(undefined);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return await run.end(error);
  } finally {
    context.dispose();
  }
}

class PromptRun {
  readonly #context: Context;
  readonly #words: readonly string[];
  #connected: RunningAgent | undefined;
  #session: Session | undefined;
  #outcome: TurnSummary | undefined;

  constructor(context: Context, words: readonly string[]) {
    this.#context = context;
    this.#words = words;
  }

  async start(): Promise<void> {
    const context = this.#context;
    const { values, renderer } = context;
    checkValues(context);
    const lists = listsOf(values);
    const prompt = await this.#prompt(lists.caps || lists.modes || lists.commands);
    const policy = await policyOf(context);
    const chosen = await chooseAgent(context);
    for (const note of [...prompt.notes, ...mistyped(this.#words)]) renderer.note(note);
    this.#connected = await connect(context, chosen, policy);
    const connected = this.#connected;
    if (lists.caps) showCaps(context, connected);
    const asks = prompt.blocks.length > 0;
    if (!asks && !lists.modes && !lists.commands) return;
    this.#session = await openSession(context, connected);
    if (lists.modes) showModes(context, connected, this.#session);
    if (lists.commands) await showCommands(context, connected, this.#session);
    if (!asks || context.screen.closed) return;
    this.#outcome = await runTurn(context, connected, this.#session, prompt.blocks);
    if (this.#outcome.error !== undefined) throw this.#outcome.error;
  }

  /** Ends the agent, then says how it went: the result is the last thing on either stream. */
  async end(failure: CliError | undefined): Promise<ExitCode> {
    const { renderer, screen, io, startedAt } = this.#context;
    screen.status(undefined);
    await this.#connected?.close();
    if (screen.closed) return EXIT.done;
    const error = failure ?? this.#lateFailure();
    const exitCode = error?.code ?? EXIT.done;
    renderer.result({
      exitCode,
      text: this.#outcome?.text ?? "",
      stopReason: this.#outcome?.stopReason,
      usage: this.#outcome?.usage,
      sessionId: this.#session?.id,
      denied: this.#connected?.prompter.denied ?? [],
      durationMs: io.now() - startedAt,
      error: error === undefined ? undefined : { kind: error.exit, ...error.details },
    });
    if (error !== undefined) reportFailure(this.#context, error);
    return exitCode;
  }

  /** What makes a turn that ended well a failure all the same, because the caller asked for it. */
  #lateFailure(): CliError | undefined {
    const { values } = this.#context;
    const denied = this.#connected?.prompter.denied ?? [];
    const [first] = denied;
    if (values.flag("strict-permissions") && first !== undefined) {
      const more = denied.length > 1 ? ` and ${denied.length - 1} more` : "";
      return first.hint === undefined || isFlag(first.hint)
        ? new CliError("permission", { what: `refused: ${first.what}${more}`, hint: first.hint })
        : new CliError("permission", { what: `${refusalLine(first)}${more}` });
    }
    const reason = this.#outcome?.stopReason;
    if (reason !== undefined && failOn(values)(reason)) {
      return new CliError("stoppedEarly", { what: `the turn stopped early: ${reason}` });
    }
    return undefined;
  }

  async #prompt(optional: boolean): Promise<AssembledPrompt> {
    const { values, io } = this.#context;
    const files = values.list("file").filter((file) => file !== "-");
    const fromStdin = values.list("file").length > files.length;
    const stdin = await this.#stdin(fromStdin);
    const parts = { words: this.#words, files, images: values.list("image"), stdin };
    const prompt = await assemblePrompt(parts, { cwd: io.cwd, home: io.home });
    if (prompt.blocks.length === 0 && !optional) {
      throw usageError(
        "there is no prompt",
        'dragoman "a question", dragoman chat, or dragoman --help',
      );
    }
    return prompt;
  }

  async #stdin(asked: boolean): Promise<string | undefined> {
    const { io, values, interrupts, screen } = this.#context;
    if (asked && values.flag("no-stdin"))
      throw usageError("-f - and --no-stdin contradict each other");
    if (values.flag("no-stdin") || (!asked && !stdinHoldsText(io))) return undefined;
    const controller = new AbortController();
    const stop = interrupts.listen(() => controller.abort(interrupts.error()));
    const silent = (): void => screen.story("dragoman: waiting for stdin; --no-stdin leaves it");
    try {
      return await readStdin(io, silent, controller.signal);
    } finally {
      stop();
    }
  }
}

/** A single word that is almost a command was perhaps meant as one. */
function mistyped([word, ...more]: readonly string[]): readonly string[] {
  if (word === undefined || more.length > 0 || !/^[a-z]+$/i.test(word)) return [];
  const names: readonly string[] = COMMANDS.map(({ name }) => name);
  const near = nearest(word, names);
  // A command's very name is here only because it stood behind `--`.
  if (near === undefined || near === word) return [];
  return [`"${word}" is sent as a prompt; dragoman ${near} is a command`];
}

/** What can be known to be wrong before anything is started. */
function checkValues({ values }: Context): void {
  setOptions(values);
  failOn(values);
  for (const name of ["timeout", "idle-timeout", "start-timeout"] as const)
    timeOption(values, name);
}

import type { Session } from "../../client/index.ts";
import type { ParsedCommandLine } from "../args/parse.ts";
import { BetweenTurns } from "../chat/between-turns.ts";
import { readChatHistory, writeChatHistory } from "../chat/history.ts";
import { Lines } from "../chat/lines.ts";
import { readChatLine, runLocal, wordsFor } from "../chat/local.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import { assemblePrompt } from "../prompt/assemble.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import { chooseAgent } from "../agents/choose.ts";
import { runCommand } from "../run/command.ts";
import { during } from "../connect/connect.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import { expectNoWords, reportFailure, type Context } from "../run/context.ts";
import { reportEndingWork } from "../session/background.ts";
import { policyOf } from "../permissions/from-flags.ts";
import type { PermissionPolicy } from "../permissions/policy.ts";
import { openSession } from "../session/session.ts";
import { runTurn } from "../session/turn.ts";

/** `dragoman chat`: runs several turns in one session. */
export function chatCommand({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  expectNoWords("chat", words);
  return runCommand(io, values, {
    ownResults: true,
    run: async (context, connect) => {
      const policy = await policyOf(context);
      const connected = await connect(await chooseAgent(context), policy);
      const session = await openSession(context, connected);
      context.screen.status(undefined);
      await new Chat(context, connected, session, policy).run();
    },
  });
}

class Chat {
  readonly #context: Context;
  readonly #connected: RunningAgent;
  readonly #session: Session;
  readonly #policy: PermissionPolicy;
  #lines: Lines | undefined;
  /** Undefined for agents of v1, which only work in a turn. */
  #between: BetweenTurns | undefined;

  constructor(
    context: Context,
    connected: RunningAgent,
    session: Session,
    policy: PermissionPolicy,
  ) {
    this.#context = context;
    this.#connected = connected;
    this.#session = session;
    this.#policy = policy;
  }

  /** Resolves when the user ends the chat. Throws a CliError if it ends in any other way. */
  async run(): Promise<void> {
    const { io, interrupts, screen, renderer } = this.#context;
    const lines = await Lines.open({
      io,
      history: await readChatHistory(io),
      complete: (line) => wordsFor(line, this.#session),
    });
    this.#lines = lines;
    this.#followBetweenTurns(lines);
    const ended = new AbortController();
    const stop = interrupts.listen({
      first: (name) => {
        if (name === "SIGINT" && this.#between?.cancel() === true) interrupts.reset();
        else ended.abort();
      },
    });
    void this.#connected.client.closed.then(() => ended.abort());
    let warned = false;
    let pending = "";
    try {
      if (io.stdinKind === "tty") renderer.note("/help lists the commands; Ctrl-D ends the chat");
      for (;;) {
        const event = await lines.next(pending === "" ? "> " : ". ", ended.signal);
        if (event.kind === "interrupt") {
          pending = "";
          if (warned) throw new CliError("interrupted", { what: "interrupted" });
          warned = true;
          renderer.note("press Ctrl-C again or Ctrl-D to end the chat");
          continue;
        }
        if (event.kind === "end") {
          await this.#between?.idle(ended.signal);
          return await this.#ended();
        }
        warned = false;
        pending += event.line;
        if (pending.endsWith("\\")) {
          pending = `${pending.slice(0, -1)}\n`;
          continue;
        }
        const whole = pending;
        pending = "";
        if (!(await this.#runLine(whole))) return;
        screen.finish();
      }
    } finally {
      stop();
      screen.input = undefined;
      lines.close();
      reportEndingWork(this.#context, this.#connected, this.#session);
      await writeChatHistory(io, lines.history).catch(() => {});
    }
  }

  #followBetweenTurns(lines: Lines): void {
    const { screen, values } = this.#context;
    if (this.#connected.facts.protocolVersion < 2) return;
    const input = {
      hide: () => lines.hide(),
      show: () => {
        if (!screen.isHeld && this.#between?.isBusy !== true) lines.show();
      },
    };
    screen.input = input;
    this.#between = new BetweenTurns(this.#context, this.#connected, this.#session, input);
    const isNew = values.text("resume") === undefined && !values.flag("continue");
    void this.#between.follow(isNew);
  }

  /** Handles the end of the input: the user ended it, a signal arrived, or the agent died. */
  async #ended(): Promise<void> {
    const { client } = this.#connected;
    const interrupted = this.#context.interrupts.error();
    if (interrupted !== undefined) throw interrupted;
    if (this.#session.state === "open") return;
    // The agent's death is reported in the same way as during a turn.
    await during(this.#context, this.#connected, "turn", async () => {
      const { ConnectionError } = await import("../../rpc/index.ts");
      throw new ConnectionError(await client.closed);
    });
  }

  /** Runs a line of the chat. Resolves with false if it ends the chat. */
  async #runLine(line: string): Promise<boolean> {
    const { renderer, screen } = this.#context;
    const read = readChatLine(line);
    switch (read.kind) {
      case "nothing":
        return true;
      case "local":
        if (read.name === "/exit") return false;
        try {
          const { name, args } = read;
          const { grants, canAsk } = this.#policy;
          const output = await during(this.#context, this.#connected, "session", () =>
            runLocal(name, args, this.#session, grants, canAsk),
          );
          for (const text of output) screen.story(sanitiseLine(text));
        } catch (error) {
          this.#reportError(error);
        }
        return true;
      case "prompt": {
        const { io } = this.#context;
        const parts = { words: [read.text], files: [], images: [], stdin: undefined };
        const prompt = await assemblePrompt(parts, { cwd: io.cwd, home: io.home });
        for (const note of prompt.notes) renderer.note(note);
        await this.#turn(prompt.blocks);
        return true;
      }
    }
  }

  async #turn(blocks: Parameters<typeof runTurn>[3]): Promise<void> {
    const { interrupts, renderer, screen, io } = this.#context;
    const { prompter } = this.#connected;
    const startedAt = io.now();
    // The result lists only the denials of this turn.
    prompter.denied.length = 0;
    // The agent may be in the middle of a line that it writes by itself.
    screen.endAnswer();
    const outcome = await runTurn(this.#context, this.#connected, this.#session, blocks);
    const { error } = outcome;
    const ownCancel = error?.exit === "interrupted" && this.#session.state === "open";
    renderer.result({
      exitCode: error?.code ?? EXIT.done,
      text: outcome.text,
      truncated: outcome.truncated,
      stopReason: outcome.stopReason ?? (ownCancel ? "cancelled" : undefined),
      usage: outcome.usage,
      sessionId: this.#session.id,
      denied: [...prompter.denied],
      durationMs: io.now() - startedAt,
      error: error === undefined || ownCancel ? undefined : { kind: error.exit, ...error.details },
    });
    screen.endAnswer();
    this.#between?.turnShown();
    if (error === undefined) return;
    if (!ownCancel) return this.#reportError(error);
    // The first Ctrl-C cancels the turn and discards typed lines; the chat continues.
    interrupts.reset();
    this.#lines?.discard();
  }

  /** Reports an error and lets the chat continue. Rethrows it if the session or the run is over. */
  #reportError(error: unknown): void {
    if (!(error instanceof CliError) || this.#session.state !== "open") throw error;
    // Every other turn would pass the limit too.
    if (error.exit === "budget") throw error;
    if (this.#context.interrupts.arrived !== undefined) throw error;
    reportFailure(this.#context, error);
  }
}

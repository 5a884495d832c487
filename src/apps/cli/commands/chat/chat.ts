import type { Session, SessionEvent } from "../../../../client/index.ts";
import { runPhase, type RunningAgent } from "../../connect/connect.ts";
import { CliError, EXIT } from "../../shell/exit.ts";
import type { PermissionPolicy } from "../../permissions/policy.ts";
import { typedPrompt } from "../../prompt/read.ts";
import type { UsageFacts } from "../../render/renderer.ts";
import { reportFailure, type Context } from "../../context/context.ts";
import { reportEndingWork, runTurn, Activity } from "../../session/turn.ts";
import { OwnTurns } from "../../session/own-turns.ts";
import { openSession } from "../../session/session.ts";
import {
  type ChatHost,
  runSlashCommand,
  commandsFor,
  type LocalName,
  readChatLine,
} from "./slash-commands.ts";
import { filesFor } from "../../input/files.ts";
import type { ChatInput } from "../../input/input.ts";
import { notification } from "../../tty/notify.ts";
import { hasEditor, openInput } from "../../input/open-input.ts";
import { statusLine, statusOf } from "../../input/status-line.ts";
import { isAnyUpdate, type SessionActivity } from "../../../../protocol/acp/index.ts";
import { recapLines, Recap } from "./recap.ts";
import { readChatHistory, writeChatHistory } from "./history.ts";
import { markCommandsReported } from "../../session/available-commands.ts";

/** Opens the session of a chat, and shows the end of the conversation that it continues. */
export async function openChat(
  context: Context,
  connected: RunningAgent,
  policy: PermissionPolicy,
): Promise<Chat> {
  const { io, mode, screen } = context;
  const recap = new Recap();
  const [session, origin] = await openSession(context, connected, (update) => recap.add(update));
  screen.status(undefined);
  const isNew = origin === "new";
  if (!isNew && mode === "text" && io.stderr.isTty)
    for (const line of recapLines(recap, origin, connected.agent.name)) screen.printLine(line);
  return new Chat(context, connected, session, policy, isNew);
}

class Chat {
  readonly #context: Context;
  readonly #connected: RunningAgent;
  readonly #policy: PermissionPolicy;
  #session: Session;
  #input: ChatInput | undefined;
  /** Undefined for agents of v1, which only work in a turn. */
  #between: BetweenTurns | undefined;
  #isBusy = false;
  #lastAnswer = "";
  #usage: UsageFacts | undefined;

  constructor(
    context: Context,
    connected: RunningAgent,
    session: Session,
    policy: PermissionPolicy,
    isNew: boolean,
  ) {
    this.#context = context;
    this.#connected = connected;
    this.#session = session;
    this.#policy = policy;
    this.#followBetweenTurns(isNew);
  }

  /** Runs the first prompt, unless it is empty, and then those that the user types, until the chat ends. */
  async run(first: string): Promise<void> {
    const { io, interrupts, screen, renderer } = this.#context;
    const input = await this.#openInput();
    this.#input = input;
    const ended = new AbortController();
    const stop = interrupts.listen({
      first: (name) => {
        if (name === "SIGINT" && (this.#between?.cancel() === true || input.interrupt()))
          interrupts.reset();
        else ended.abort();
      },
    });
    void this.#connected.client.closed.then(() => ended.abort());
    let warned = false;
    try {
      if (io.stdinKind === "tty") renderer.note("/help lists the commands; Ctrl-D ends the chat");
      if (first.trim() !== "") input.send(first);
      for (;;) {
        const event = await input.next(ended.signal);
        if (event.kind === "interrupt") {
          if (warned) throw new CliError("interrupted", { what: "interrupted" });
          warned = true;
          renderer.note("press Ctrl-C again or Ctrl-D to end the chat");
          continue;
        }
        await this.#between?.idle(ended.signal);
        if (event.kind === "end") return await this.#ended();
        warned = false;
        this.#isBusy = true;
        const goesOn = await this.#runLine(event.text);
        this.#isBusy = false;
        if (!goesOn) return;
        screen.finish();
      }
    } finally {
      stop();
      input.close();
      reportEndingWork(this.#context, this.#connected, this.#session);
      await writeChatHistory(io, input.history).catch(() => {});
    }
  }

  async #openInput(): Promise<ChatInput> {
    const { io } = this.#context;
    const { name } = this.#connected.agent;
    return openInput(this.#context, {
      history: await readChatHistory(io),
      complete: (text, cursor) =>
        commandsFor(text, cursor, this.#session) ?? filesFor(text, cursor, io),
      status: (columns) => statusLine(statusOf(name, this.#session, this.#usage), columns),
      isBusy: () => this.#isBusy || this.#between?.isBusy === true,
    });
  }

  #followBetweenTurns(isNew: boolean): void {
    if (this.#connected.facts.protocolVersion < 2) return;
    this.#between = new BetweenTurns(this.#context, this.#connected, this.#session);
    void this.#between.follow(isNew);
  }

  /** Handles the end of the input: the user ended it, a signal arrived, or the agent died. */
  async #ended(): Promise<void> {
    const { client } = this.#connected;
    const interrupted = this.#context.interrupts.error();
    if (interrupted !== undefined) throw interrupted;
    if (this.#session.state === "open") return;
    // The agent's death is reported in the same way as during a turn.
    await runPhase(this.#context, this.#connected, "turn", async () => {
      const { ConnectionError } = await import("../../../../transport/rpc/index.ts");
      throw new ConnectionError(await client.closed);
    });
  }

  /** Runs a line of the chat. Resolves with false if it ends the chat. */
  async #runLine(line: string): Promise<boolean> {
    const read = readChatLine(line);
    switch (read.kind) {
      case "nothing":
        return true;
      case "local":
        if (read.name === "/exit") return false;
        await this.#runLocal(read.name, read.args);
        return true;
      case "prompt":
        await this.#send(read.text);
        return true;
    }
  }

  async #runLocal(name: Exclude<LocalName, "/exit">, args: readonly string[]): Promise<void> {
    const { screen } = this.#context;
    try {
      for (const line of await runSlashCommand(name, args, this.#host())) screen.printLine(line);
    } catch (error) {
      this.#reportError(error);
    }
  }

  #host(): ChatHost {
    return {
      context: this.#context,
      connected: this.#connected,
      session: this.#session,
      policy: this.#policy,
      lastAnswer: this.#lastAnswer,
      canPick: hasEditor(this.#context),
      send: (text) => this.#send(text),
      switchTo: async (session) => {
        const previous = this.#session;
        this.#session = session;
        this.#usage = undefined;
        this.#lastAnswer = "";
        this.#followBetweenTurns(false);
        // An agent that cannot close sessions ends them with itself.
        await previous.close().catch(() => {});
      },
    };
  }

  async #send(text: string): Promise<void> {
    await this.#turn(await typedPrompt(this.#context, text));
  }

  async #turn(blocks: Parameters<typeof runTurn>[3]): Promise<void> {
    const { interrupts, renderer, screen, io } = this.#context;
    const { prompter, agent } = this.#connected;
    const startedAt = io.now();
    // The result lists only the denials of this turn.
    prompter.denied.length = 0;
    // The agent may be in the middle of a line that it writes by itself.
    screen.endAnswer();
    const outcome = await runTurn(this.#context, this.#connected, this.#session, blocks);
    const { error, text, usage } = outcome;
    if (text !== "") this.#lastAnswer = text;
    this.#usage = usage ?? this.#usage;
    const durationMs = io.now() - startedAt;
    const ownCancel = error?.exit === "interrupted" && this.#session.state === "open";
    renderer.result({
      exitCode: error?.code ?? EXIT.done,
      text,
      truncated: outcome.truncated,
      stopReason: outcome.stopReason ?? (ownCancel ? "cancelled" : undefined),
      usage,
      sessionId: this.#session.id,
      denied: [...prompter.denied],
      durationMs,
      error: error === undefined || ownCancel ? undefined : { kind: error.exit, ...error.details },
    });
    screen.endAnswer();
    screen.control(notification(this.#context, { agent: agent.name, durationMs }));
    this.#between?.turnShown();
    if (error === undefined) return;
    if (!ownCancel) return this.#reportError(error);
    // The first Ctrl-C cancels the turn, and the prompts behind it are not sent; the chat continues.
    interrupts.reset();
    this.#input?.takeBack();
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

/** Shows what an agent of v2 does between turns: work that it starts by itself, and news of background work. */
class BetweenTurns {
  readonly #context: Context;
  readonly #connected: RunningAgent;
  readonly #session: Session;
  #doing: Activity | undefined;
  #activity: SessionActivity = "idle";
  #isCancelled = false;
  readonly #turns = new OwnTurns();

  constructor(context: Context, connected: RunningAgent, session: Session) {
    this.#context = context;
    this.#connected = connected;
    this.#session = session;
  }

  /** Whether the agent works although no turn is running. */
  get isBusy(): boolean {
    return !this.#turns.isRunning && this.#activity !== "idle";
  }

  /** Shows every update outside a turn. Resolves when the session has ended; never rejects. */
  async follow(isNew: boolean): Promise<void> {
    try {
      // The first reader also gets earlier updates. Those of a reopened session are its history.
      if (!isNew) await this.#session.updates().return?.();
      for await (const event of this.#session.updates()) await this.#take(event);
    } catch {
      // The chat itself reports why the session ended.
    }
    this.#activity = "idle";
    this.#turns.changed();
  }

  turnShown(): void {
    this.#turns.shown();
  }

  /** Resolves when the agent does nothing by itself, or the signal is aborted. */
  async idle(signal: AbortSignal): Promise<void> {
    await this.#turns.until(() => !this.isBusy, signal);
  }

  /** Asks the agent to end the work that it does by itself. Returns false if there is nothing new to ask for. */
  cancel(): boolean {
    if (!this.isBusy || this.#isCancelled) return false;
    this.#isCancelled = true;
    const { name } = this.#connected.agent;
    this.#context.renderer.note(`asking ${name} to cancel; press Ctrl-C again to end the chat`);
    void this.#session.cancel();
    return true;
  }

  async #take(event: SessionEvent): Promise<void> {
    if (event.type === "extension" || this.#turns.take(event) || !isAnyUpdate(event)) return;
    const wasBusy = this.isBusy;
    if (event.type === "state_update") this.#activity = event.activity;
    if (this.#turns.isRunning) return;
    // The end of a turn may still be on its way to the screen.
    await this.#turns.caughtUp();
    if (!wasBusy && this.isBusy) this.#begin();
    if (this.isBusy && !this.#isCancelled) this.#context.screen.status(this.#doing?.take(event));
    await this.#context.renderer.update(event);
    await this.#context.screen.drained();
    if (event.type === "available_commands_update") markCommandsReported(this.#session);
    if (!this.isBusy) this.#rest();
  }

  #begin(): void {
    const { mode, renderer, io } = this.#context;
    const { name } = this.#connected.agent;
    if (mode === "text" && io.stdinKind === "tty")
      renderer.note(`${name} works by itself; Ctrl-C cancels that`);
    this.#doing = new Activity(`${name} works by itself`);
  }

  #rest(): void {
    const { screen } = this.#context;
    this.#isCancelled = false;
    screen.endAnswer();
    screen.finish();
    this.#turns.changed();
  }
}

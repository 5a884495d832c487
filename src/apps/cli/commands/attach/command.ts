import type { ParsedCommandLine } from "../../shell/parse.ts";
import { usageError, type ExitCode, CliError, type ExitName } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { policyOf, type PermissionPolicy } from "../../permissions/policy.ts";
import { runCommand } from "../../connect/run-command.ts";
import { setTimeout as delay } from "node:timers/promises";
import { type ContentBlock, isAnyUpdate, type Update } from "../../../../protocol/acp/index.ts";
import {
  type AttachedSession,
  UnsupportedVersionError,
  ATTACH_METHODS,
  SEQ_META,
  type SessionEvent,
} from "../../../../client/index.ts";
import { deferred, unlessAborted, sanitize } from "../../../../base/index.ts";
import { filesFor } from "../../input/files.ts";
import type { ChatInput } from "../../input/input.ts";
import { hasEditor, openInput } from "../../input/open-input.ts";
import { statusLine, statusOf } from "../../input/status-line.ts";
import { runPhase, type RunningAgent } from "../../connect/connect.ts";
import { typedPrompt } from "../../prompt/read.ts";
import { reportFailure, type Context } from "../../context/context.ts";
import { OwnTurns } from "../../session/own-turns.ts";
import { runTurn } from "../../session/turn.ts";
import {
  chooseSession,
  connectToHub,
  type AttachPlace,
  type FoundSession,
} from "./hub-sessions.ts";
import { plainResult } from "../../render/json/events.ts";

/** `dragoman attach [SESSION]`: joins a session that another client opened. */
export function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const [id, ...more] = words;
  if (more.length > 0) throw usageError("attach takes one session");
  return runCommand(io, values, {
    ownResults: true,
    run: async (context) => {
      const policy = await policyOf(context);
      const found = await chooseSession(context, id);
      if (found === undefined) return;
      await new AttachRun(context, found, policy).run();
    },
  });
}

/** Reconnect attempts back off exponentially, from the first pause to the longest. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

interface Joined {
  readonly connected: RunningAgent;
  readonly session: AttachedSession;
}

/** A stay in a session: shows what happens, sends the user's prompts, and connects again if need be. */
export class AttachRun {
  readonly #context: Context;
  readonly #policy: PermissionPolicy;
  readonly #id: string;
  readonly #follower: Follower;
  readonly #leaving = new AbortController();
  #place: AttachPlace;
  #input: ChatInput | undefined;
  #isInTurn = false;
  #session: AttachedSession | undefined;
  #wasInterrupted = false;
  /** The current connection. Waits while there is none. */
  #joined = deferred<Joined>();

  constructor(context: Context, { info, place }: FoundSession, policy: PermissionPolicy) {
    // A session is remembered for the folder that it works in.
    this.#context = { ...context, cwd: info.cwd };
    this.#policy = policy;
    this.#place = place;
    this.#id = info.sessionId;
    this.#follower = new Follower(this.#context);
  }

  /** Resolves when the user has left the session. Throws a CliError if it ends in any other way. */
  async run(): Promise<void> {
    const { interrupts } = this.#context;
    const first = await this.#join(0);
    await this.#follower.replayShown();
    const stop = this.#listen();
    const typing = this.#type(first.session).finally(() => this.#leaving.abort());
    try {
      await this.#stay(first);
    } finally {
      this.#leaving.abort();
      stop();
      await typing;
      this.#input?.close();
    }
    const interrupted = interrupts.error();
    if (interrupted) throw interrupted;
    if (this.#wasInterrupted) throw new CliError("interrupted", { what: "interrupted" });
  }

  async #stay(first: Joined): Promise<void> {
    const { signal } = this.#leaving;
    let joined = first;
    for (;;) {
      const { connected, session } = joined;
      const leave = (): void => void session.close();
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
      this.#session = session;
      this.#joined.resolve(joined);
      await this.#follower.follow(session);
      signal.removeEventListener("abort", leave);
      this.#joined = deferred();
      await connected.close();
      if (signal.aborted) return;
      joined = await this.#rejoin(session.seq);
    }
  }

  async #rejoin(after: number): Promise<Joined> {
    const { renderer, io } = this.#context;
    const { agent, patienceMs } = this.#place;
    renderer.note(`the connection to ${agent.name} was lost; connecting again`);
    const until = io.now() + patienceMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await this.#join(after);
      } catch (error) {
        const isFinal = error instanceof CliError && FINAL.has(error.exit);
        if (isFinal || io.now() + pause > until || this.#leaving.signal.aborted) throw error;
      }
      await delay(pause, undefined, { signal: this.#leaving.signal }).catch(() => {});
    }
  }

  /** Joins the session, and shows everything that happened in it after a position. */
  async #join(after: number): Promise<Joined> {
    const { values, renderer } = this.#context;
    const connected = await connectToHub(this.#context, this.#place, this.#policy);
    const role = values.flag("observe") ? "observer" : undefined;
    try {
      const session = await runPhase(this.#context, connected, "reopen", (signal) =>
        connected.client.attach(this.#id, { role, after, signal, onReplay: this.#follower.replay }),
      );
      const missing = session.first - after - 1;
      if (missing > 0) renderer.note(`the first ${missing} updates are not available anymore`);
      return { connected: withoutServer(connected), session };
    } catch (error) {
      await connected.close();
      const { cause } = error instanceof CliError ? error : {};
      const { protocol } = this.#place.agent;
      if (!(cause instanceof UnsupportedVersionError) || protocol === 2) throw error;
      this.#place = { ...this.#place, agent: { ...this.#place.agent, protocol: 2 } };
      return this.#join(after);
    }
  }

  /** Ctrl-C cancels the turn of another client. Every other signal, and a second Ctrl-C, leaves. */
  #listen(): () => void {
    const { interrupts, renderer } = this.#context;
    let asked: AttachedSession | undefined;
    return interrupts.listen({
      first: (name) => {
        const session = this.#session;
        const mayCancel = session?.isBusy === true && session.role === "controller";
        if (name === "SIGINT" && !mayCancel && this.#input?.interrupt() === true)
          return interrupts.reset();
        if (name !== "SIGINT" || !mayCancel || asked === session) return this.#leaving.abort();
        asked = session;
        renderer.note("asking the agent to cancel; press Ctrl-C again to leave the session");
        interrupts.reset();
        void session.cancel();
      },
    });
  }

  async #type(first: AttachedSession): Promise<void> {
    const { io, renderer } = this.#context;
    const { role } = first;
    const { signal } = this.#leaving;
    const isTerminal = io.stdinKind === "tty";
    const how = role === "observer" ? "you only watch this session; " : "";
    if (isTerminal) renderer.note(`${how}Ctrl-D leaves the session, which stays open`);
    if (role === "observer" || io.stdinKind === "other") return this.#waitForEnd(isTerminal);
    const { name } = this.#place.agent;
    const input = await openInput(this.#context, {
      history: [],
      complete: (text, cursor) => filesFor(text, cursor, io),
      status: (columns) => statusLine(statusOf(name, this.#session ?? first, undefined), columns),
      isBusy: () => this.#isInTurn || this.#session?.isBusy === true,
    });
    this.#input = input;
    const isLine = isTerminal && !hasEditor(this.#context);
    let warned = false;
    for (;;) {
      // A plain line would be in the way of a turn that is shown.
      if (isLine && this.#session) await this.#follower.idle(this.#session, signal);
      const event = await input.next(signal);
      if (event.kind === "end") return;
      if (event.kind === "interrupt") {
        if (warned) {
          this.#wasInterrupted = true;
          return;
        }
        warned = true;
        renderer.note("press Ctrl-C again or Ctrl-D to leave the session, which stays open");
        continue;
      }
      warned = false;
      if (event.text.trim() !== "") await this.#prompt(event.text);
    }
  }

  /** Waits until the user leaves: by Ctrl-D on a terminal. */
  #waitForEnd(isTerminal: boolean): Promise<void> {
    const { stdin } = this.#context.io;
    const { signal } = this.#leaving;
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const stop = (): void => {
        stdin.off("end", stop);
        stdin.pause();
        resolve();
      };
      signal.addEventListener("abort", stop, { once: true });
      if (!isTerminal) return;
      stdin.once("end", stop);
      stdin.resume();
    });
  }

  async #prompt(text: string): Promise<void> {
    const blocks = await typedPrompt(this.#context, text);
    const { signal } = this.#leaving;
    const joined = await unlessAborted(this.#joined.promise, signal).catch(() => undefined);
    if (joined === undefined) return;
    await this.#follower.idle(joined.session, signal);
    if (!signal.aborted) await this.#turn(joined, blocks);
  }

  async #turn({ connected, session }: Joined, blocks: readonly ContentBlock[]): Promise<void> {
    const { interrupts, io, renderer, screen } = this.#context;
    const startedAt = io.now();
    connected.prompter.denied.length = 0;
    this.#isInTurn = true;
    const outcome = await runTurn(this.#context, connected, session, blocks);
    this.#isInTurn = false;
    const isOpen = session.state === "open";
    const isCancelled = outcome.error?.exit === "interrupted" && isOpen;
    const { text, truncated, usage, stopReason = isCancelled ? "cancelled" : undefined } = outcome;
    // A lost connection is reported by the attempt to connect again.
    const error = isCancelled || !isOpen ? undefined : outcome.error;
    renderer.result({
      ...plainResult(io.now() - startedAt, error),
      text,
      truncated,
      usage,
      stopReason,
      sessionId: session.id,
      denied: [...connected.prompter.denied],
    });
    screen.endAnswer();
    this.#follower.turnShown();
    if (error) reportFailure(this.#context, error);
    if (!isCancelled) return;
    interrupts.reset();
    this.#input?.takeBack();
  }
}

/** Failures that retrying cannot fix. */
const FINAL: ReadonlySet<ExitName> = new Set<ExitName>(["auth", "session", "usage"]);

/** The folder of the session is known, so the options of this run need not name one. */
function withoutServer(connected: RunningAgent): RunningAgent {
  return { ...connected, agent: { ...connected.agent, remote: undefined } };
}

/** Shows what others do in a session: the past, and everything outside the turns of this client. */
class Follower {
  readonly #context: Context;
  /** The position of the last update that was shown, in this connection or an earlier one. */
  #shownSeq = 0;
  readonly #turns = new OwnTurns();
  /** The lines that a replay still has to print, in order. */
  #replayed: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Shows an update from the replayed history. */
  readonly replay = (update: Update): void => {
    this.#replayed = this.#replayed.then(() => this.#show(update)).catch(() => {});
  };

  /** Resolves when the past is on the screen. Never rejects. */
  async replayShown(): Promise<void> {
    await this.#replayed;
  }

  /** Shows everything until the session ends or its connection is lost. Never rejects. */
  async follow(session: AttachedSession): Promise<void> {
    await this.replayShown();
    this.#rest(session);
    try {
      for await (const event of session.updates()) await this.#take(event, session);
    } catch {
      // The caller learns why the session ended.
    }
    this.#turns.isRunning = false;
    this.#turns.changed();
  }

  /** Notes that everything of a turn of this client is on the screen. */
  turnShown(): void {
    this.#turns.shown();
  }

  /** Resolves when no other client's turn is running, or the signal is aborted. */
  async idle(session: AttachedSession, signal: AbortSignal): Promise<void> {
    await this.#turns.until(() => !session.isBusy || session.state !== "open", signal);
  }

  async #take(event: SessionEvent, session: AttachedSession): Promise<void> {
    if (this.#turns.take(event)) return;
    if (event.type === "extension") {
      if (event.method === ATTACH_METHODS.turnEnded) this.#rest(session);
      return;
    }
    if (this.#turns.isRunning) {
      this.#pass(event);
      return;
    }
    // The end of one of our own turns may still be rendering.
    await this.#turns.caughtUp();
    await this.#show(event);
    await this.#context.screen.drained();
    if (!session.isBusy) this.#rest(session);
  }

  async #show(update: Update): Promise<void> {
    if (!this.#pass(update) || !isAnyUpdate(update)) return;
    const { mode, renderer, screen, style } = this.#context;
    if (update.type !== "user_message_chunk" || mode === "events" || mode === "jsonl")
      return renderer.update(update);
    screen.endAnswer();
    const { content } = update;
    const text = content.type === "text" ? content.text : `[${content.type}]`;
    screen.printLine(`${style("cyan", "[prompt]")} ${sanitize(text)}`);
    if (!this.#turns.isRunning) screen.status("another client waits for the answer");
  }

  /** Counts an update as shown. Returns false if it was shown before. */
  #pass({ notificationMeta }: Update): boolean {
    const seq = notificationMeta?.[SEQ_META];
    if (typeof seq !== "number") return true;
    if (seq <= this.#shownSeq) return false;
    this.#shownSeq = seq;
    return true;
  }

  #rest(session: AttachedSession): void {
    const { screen } = this.#context;
    this.#turns.changed();
    if (session.isBusy || this.#turns.isRunning) return;
    screen.status(undefined);
    screen.endAnswer();
  }
}

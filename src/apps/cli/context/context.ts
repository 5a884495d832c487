import { resolve } from "node:path";
import type { ProtocolChoice } from "../../../client/index.ts";
import type { Values } from "../shell/parse.ts";
import {
  colorOption,
  outputMode,
  type OutputMode,
  protocolOption,
} from "../shell/option-values.ts";
import { CliError, type ExitCode, failureLine } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { EventsRenderer, FramesRenderer, ResultRenderer } from "../render/json/events.ts";
import { rendersMarkdown, styleFor, type Style, type TextView } from "../render/terminal/style.ts";
import type { Renderer } from "../render/renderer.ts";
import { sanitizeLine, deferred, immediately, unlessAborted } from "../../../base/index.ts";
import { Screen } from "../render/terminal/screen.ts";
import { TextRenderer } from "../render/text/text.ts";
import { Budget, limitsOfBudget } from "./budget.ts";
import { SessionLocks } from "../stored/lock.ts";
import { applyEnvironment, applyPreferences } from "../settings/apply.ts";
import {
  readOwnSettings,
  type OwnSettings,
  loadSettings,
  type LoadedSettings,
} from "../settings/load.ts";
import { NO_PREFERENCES, type Preferences } from "../settings/keys.ts";
import { Asker, type Dialogue } from "../tty/asker.ts";
import { Interrupts } from "../shell/interrupts.ts";
import type { InspectedSession } from "../../inspector/index.ts";
import type { RecordingFile } from "../shell/backpressure.ts";
import { trustLines, type TrustQuestion } from "../settings/trust.ts";

/** The parts that every command with an agent needs: output, questions to the user and signals. */
export interface Context {
  readonly io: Io;
  readonly values: Values;
  readonly mode: OutputMode;
  /** The version of the protocol from `--protocol`; undefined without it. */
  readonly protocol: ProtocolChoice | undefined;
  /** The settings of the user, or those from `--settings`; undefined if there are none. */
  readonly own: OwnSettings | undefined;
  /** How the user wants Dragoman to behave, from those settings. */
  readonly preferences: Preferences;
  readonly cwd: string;
  readonly screen: Screen;
  readonly renderer: Renderer;
  /** The renderer of raw frames; undefined in the other output modes. */
  readonly frames: FramesRenderer | undefined;
  readonly interrupts: Interrupts;
  /** Measures how long the agent works. */
  readonly clock: WorkClock;
  readonly budget: Budget;
  readonly locks: SessionLocks;
  /** Which updates of the running turn are on the screen. */
  readonly shown: ShownUpdates;
  /** Whether there is a terminal, even if stdin and stdout are pipes. */
  readonly hasTerminal: boolean;
  /** Asks the user on the terminal; undefined without a terminal or with `--no-ask`. */
  readonly asker: Asker | undefined;
  /** The style of the output to stderr. */
  readonly style: Style;
  readonly startedAt: number;
  /** The page of `--inspect`; undefined without it, and before an agent is chosen. */
  inspector: Inspector | undefined;
  /** Called when stdout has no reader anymore. */
  onClosed: () => void;
  dispose(): void;
}

/** The context of one run, with the user's settings and variables as defaults of the flags. */
export async function openContext(
  io: Io,
  values: Values,
  { isChat = false }: { readonly isChat?: boolean } = {},
): Promise<Context> {
  // Before anything is read: a file may hang, and signals must end the run even then.
  const interrupts = new Interrupts(io);
  try {
    const own = await readOwnSettings(io, values.text("settings"));
    applyEnvironment(values, io.env);
    if (own !== undefined) applyPreferences(values, own, io);
    return createContext(io, values, own, interrupts, isChat);
  } catch (error) {
    interrupts.dispose();
    throw error;
  }
}

function createContext(
  io: Io,
  values: Values,
  own: OwnSettings | undefined,
  interrupts: Interrupts,
  isChat: boolean,
): Context {
  const preferences = own?.settings.preferences ?? NO_PREFERENCES;
  const mode = outputMode(values);
  const color = colorOption(values);
  const protocol = protocolOption(values);
  const budget = new Budget(limitsOfBudget(values));
  const style = styleFor(color, io.env, io.stderr);
  const machine = mode === "jsonl" || mode === "events" || mode === "result";
  const screen = new Screen(io, { spinner: !machine, onClosed: () => context.onClosed() });
  const cwd = resolve(io.cwd, values.text("cwd") ?? ".");
  const clock = new WorkClock(() => io.now());
  const { now } = clock;
  const printNote = (text: string): void => screen.printLine(`dragoman: ${sanitizeLine(text)}`);
  const frames = mode === "jsonl" ? new FramesRenderer(screen, printNote) : undefined;
  const rendererFor = (): Renderer => {
    if (mode === "events") return new EventsRenderer(screen, now, printNote);
    if (mode === "result") return new ResultRenderer(screen, printNote);
    return new TextRenderer(screen, {
      simple: mode === "simple",
      thoughts: values.flag("thoughts"),
      verbose: values.flag("verbose"),
      commands: isChat || values.flag("verbose"),
      safeAnswer: io.stdout.isTty,
      hidesAnswer: values.text("schema") !== undefined,
      markdown: rendersMarkdown({
        raw: values.flag("raw"),
        setting: preferences.markdown,
        env: io.env,
        output: io.stdout,
      })
        ? { output: io.stdout, env: io.env, style: styleFor(color, io.env, io.stdout) }
        : undefined,
      onTerminal: io.stderr.isTty,
      cwd,
      style,
      now,
    });
  };
  const hasTerminal = checkTerminal(io);
  const canAsk = hasTerminal && !values.flag("no-ask");
  const locks = new SessionLocks(io);
  const context: Context = {
    io,
    values,
    mode,
    protocol,
    own,
    preferences,
    cwd,
    screen,
    renderer: frames ?? rendererFor(),
    frames,
    interrupts,
    clock,
    budget,
    locks,
    shown: new ShownUpdates(),
    hasTerminal,
    asker: canAsk ? new Asker(io, screen, { apart: machine && io.stdout.isTty }) : undefined,
    style,
    startedAt: io.now(),
    inspector: undefined,
    onClosed: () => {},
    dispose: () => releaseContext(interrupts, locks, screen),
  };
  return context;
}

/** How text for people looks on stdout. */
export function stdoutView({ io, values }: Pick<Context, "io" | "values">): TextView {
  const { stdout, env } = io;
  return {
    columns: stdout.isTty ? (stdout.columns() ?? 80) : undefined,
    style: styleFor(colorOption(values), env, stdout),
  };
}

/** Runs work without an agent, which a signal aborts. Throws the interruption if one arrives meanwhile. */
export async function interruptible<T>(
  { interrupts }: Pick<Context, "interrupts">,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const throwIfInterrupted = (): void => {
    const interrupted = interrupts.error();
    if (interrupted !== undefined) throw interrupted;
  };
  try {
    const result = await interrupts.aborting(work);
    throwIfInterrupted();
    return result;
  } catch (error) {
    throwIfInterrupted();
    throw error;
  }
}

/** Asks the user before an agent runs. Resolves with undefined without a terminal or an answer. */
export function askBeforeStart<T>(
  context: Pick<Context, "asker" | "interrupts">,
  converse: (dialogue: Dialogue) => Promise<T>,
): Promise<T | undefined> {
  return interruptible(context, async (signal) => context.asker?.ask(signal, converse));
}

function checkTerminal(io: Io): boolean {
  const terminal = io.openTerminal();
  terminal?.close();
  return terminal !== undefined;
}

export function reportFailure(context: Pick<Context, "screen" | "style">, error: CliError): void {
  const { screen, style } = context;
  screen.finish();
  screen.printLine(`${style("red", "dragoman:")} ${sanitizeLine(failureLine(error.details))}`);
}

/** Gives back everything that a context holds: signal handlers, locks of sessions, the terminal. */
export function releaseContext(interrupts: Interrupts, locks: SessionLocks, screen: Screen): void {
  interrupts.dispose();
  locks.release();
  screen.dispose();
}

/**
 * Runs a command whose stdout is for people, or carries a protocol, even if the settings ask for another output.
 * A CliError is printed, and its code returned.
 */
export async function runForPeople(
  io: Io,
  values: Values,
  work: (context: Context) => Promise<ExitCode>,
): Promise<ExitCode> {
  values.set("outputmode", "text");
  const context = await openContext(io, values);
  try {
    return await work(context);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    reportFailure(context, error);
    return error.code;
  } finally {
    context.dispose();
  }
}

/** A clock that stops while the user is asked, so that a tool's duration excludes the user's time. */
export class WorkClock {
  readonly #now: () => number;
  #askedMs = 0;
  #openQuestions = 0;
  #stoppedAt = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds since an arbitrary start; only differences are meaningful. */
  readonly now = (): number =>
    (this.#openQuestions > 0 ? this.#stoppedAt : this.#now()) - this.#askedMs;

  /** Runs `work`, which asks the user, with the clock stopped. */
  async asking<T>(work: () => Promise<T>): Promise<T> {
    if (this.#openQuestions++ === 0) this.#stoppedAt = this.#now();
    try {
      return await work();
    } finally {
      if (--this.#openQuestions === 0) this.#askedMs += this.#now() - this.#stoppedAt;
    }
  }
}

/** A page that shows sessions, for as long as a command runs. */
export interface Inspector {
  /** Adds a session to the page. */
  add(name: string): InspectedSession;
  /** Adds a session to the page, as the file that a recorder writes. */
  file(name: string): RecordingFile;
  /** Prints the address, writes it to the file of `--url-file`, and opens a browser. */
  announce(what: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Follows which updates of a turn are on the screen. Requests from the agent arrive beside the stream of
 * updates, and a reader of that stream may be behind: a question about a change must not appear before
 * the change itself.
 */
export class ShownUpdates {
  #isShowing = false;
  #changed = deferred();

  /** Passes on the updates of a turn. Each is on the screen when the next one is asked for. */
  through<T>(updates: AsyncIterable<T>): AsyncIterable<T> {
    this.#isShowing = true;
    return this.#follow(updates);
  }

  async *#follow<T>(updates: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      this.#wait();
      for await (const update of updates) {
        this.#isShowing = true;
        yield update;
        this.#wait();
      }
    } finally {
      this.#wait();
    }
  }

  /** Notes that the update is on the screen, before the next one is asked for: its reader may be slow. */
  shown(): void {
    this.#wait();
  }

  /** Resolves when every update that has arrived is on the screen, or when the signal is aborted. */
  async caughtUp(signal: AbortSignal): Promise<void> {
    try {
      do {
        // An update that has already arrived is taken before the next task.
        await unlessAborted(new Promise<void>((resolve) => immediately(resolve)), signal);
        if (this.#isShowing) await unlessAborted(this.#changed.promise, signal);
        else return;
      } while (!signal.aborted);
    } catch {
      // The agent does not wait for the answer anymore.
    }
  }

  #wait(): void {
    this.#isShowing = false;
    const { resolve } = this.#changed;
    this.#changed = deferred();
    resolve();
  }
}

/** The settings for this folder. Asks whether to trust the project's settings if there is a terminal. */
export function contextSettings(context: Omit<Context, "renderer">): Promise<LoadedSettings> {
  const { io, values, cwd, asker } = context;
  return loadSettings(io, {
    own: context.own,
    cwd,
    trustProject: values.flag("trust-project"),
    ask: asker === undefined ? undefined : (question) => askTrust(context, question),
  });
}

async function askTrust(
  context: Pick<Context, "asker" | "interrupts">,
  question: TrustQuestion,
): Promise<boolean> {
  const answer = await askBeforeStart(context, (dialogue) => {
    dialogue.say(...trustLines(question));
    return dialogue.confirm("Trust them and start these?", false);
  });
  return answer === true;
}

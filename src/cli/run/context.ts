import { resolve } from "node:path";
import type { Values } from "../args/parse.ts";
import { colourChoice, outputMode, type OutputMode } from "../args/values.ts";
import { failureLine, usageError, type CliError } from "../exit.ts";
import type { Io } from "../io.ts";
import { EventsRenderer } from "../render/json/events.ts";
import { FramesRenderer } from "../render/json/frames.ts";
import type { Renderer } from "../render/renderer.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import { Screen } from "../render/terminal/screen.ts";
import { styleFor, type Style } from "../render/terminal/style.ts";
import { TextRenderer } from "../render/text/text.ts";
import { Asker } from "../tty/asker.ts";
import { WorkClock } from "./clock.ts";
import { Interrupts } from "./interrupts.ts";

/** What every command that talks to an agent has: where to show things, whom to ask, when to stop. */
export interface Context {
  readonly io: Io;
  readonly values: Values;
  readonly mode: OutputMode;
  /** The workspace: absolute. */
  readonly cwd: string;
  readonly screen: Screen;
  readonly renderer: Renderer;
  /** The renderer of raw frames, if that is the mode. */
  readonly frames: FramesRenderer | undefined;
  readonly interrupts: Interrupts;
  /** Times the agent's work. */
  readonly clock: WorkClock;
  /** Whether there is a terminal, whatever stdin and stdout are. */
  readonly hasTerminal: boolean;
  /** Asks on the terminal; undefined when there is none, or when nobody is to be asked. */
  readonly asker: Asker | undefined;
  /** Style of the story. */
  readonly style: Style;
  readonly startedAt: number;
  /** Called when nobody reads stdout any more. */
  onClosed: () => void;
  dispose(): void;
}

/** Makes the context of one run. Throws a usage error for values that cannot be. */
export function createContext(io: Io, values: Values): Context {
  const mode = outputMode(values);
  const colour = colourChoice(values);
  const style = styleFor(colour, io.env, io.stderr);
  const machine = mode === "jsonl" || mode === "events";
  const screen = new Screen(io, { spinner: !machine, onClosed: () => context.onClosed() });
  const cwd = resolve(io.cwd, values.text("cwd") ?? ".");
  const clock = new WorkClock(() => io.now());
  const { now } = clock;
  const story = (text: string): void => screen.story(`dragoman: ${sanitiseLine(text)}`);
  const frames = mode === "jsonl" ? new FramesRenderer(screen, story) : undefined;
  const renderer =
    frames ??
    (mode === "events"
      ? new EventsRenderer(screen, now, story)
      : new TextRenderer(screen, {
          simple: mode === "simple",
          thoughts: values.flag("thoughts"),
          verbose: values.flag("verbose"),
          safeAnswer: io.stdout.isTty,
          onTerminal: io.stderr.isTty,
          cwd,
          style,
          now,
        }));
  const hasTerminal = findTerminal(io);
  const asks = hasTerminal && !values.flag("no-ask");
  const interrupts = new Interrupts(io);
  const context: Context = {
    io,
    values,
    mode,
    cwd,
    screen,
    renderer,
    frames,
    interrupts,
    clock,
    hasTerminal,
    asker: asks ? new Asker(io, screen, { apart: machine && io.stdout.isTty }) : undefined,
    style,
    startedAt: io.now(),
    onClosed: () => {},
    dispose: () => {
      interrupts.dispose();
      screen.dispose();
    },
  };
  return context;
}

function findTerminal(io: Io): boolean {
  const terminal = io.openTerminal();
  terminal?.close();
  return terminal !== undefined;
}

/** Prints the last line of a failure. */
export function reportFailure(context: Pick<Context, "screen" | "style">, error: CliError): void {
  const { screen, style } = context;
  screen.finish();
  screen.story(`${style("red", "dragoman:")} ${sanitiseLine(failureLine(error.details))}`);
}

/** Words where none belong. */
export function refuseWords(command: string, words: readonly string[]): void {
  if (words.length > 0)
    throw usageError(`${command} takes no arguments, but got "${words.join(" ")}"`);
}

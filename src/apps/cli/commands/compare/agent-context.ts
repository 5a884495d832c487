import { counted } from "../../../../base/index.ts";
import { Writable } from "node:stream";
import type { Update } from "../../../../protocol/acp/index.ts";
import { withoutGitVariables } from "../../../../base/git/index.ts";
import type { Output } from "../../shell/io.ts";
import { SilentRenderer } from "../../render/json/events.ts";
import { sanitiseLine } from "../../render/terminal/sanitise.ts";
import { Screen } from "../../render/terminal/screen.ts";
import { WorkClock, type Context, releaseAll, ShownUpdates } from "../../context/context.ts";
import { Interrupts } from "../../shell/interrupts.ts";
import { Budget, limitsOfBudget } from "../../context/budget.ts";
import { SessionLocks } from "../../stored/lock.ts";

/** Shows on one line what each agent does. */
export class Progress extends SilentRenderer {
  readonly #context: Context;
  readonly #labels: Map<string, string>;
  readonly #name: string;
  #toolCalls = 0;

  /** All agents of a comparison share `labels`. */
  constructor(context: Context, name: string, labels: Map<string, string>) {
    super((text) => this.line(`dragoman: ${sanitiseLine(text)}`));
    this.#context = context;
    this.#name = sanitiseLine(name);
    this.#labels = labels;
    this.#show("starting");
  }

  get toolCalls(): number {
    return this.#toolCalls;
  }

  override session(): void {
    this.#show("waiting");
  }

  override update(update: Update): Promise<void> {
    if (update.type === "tool_call") this.#show(counted(++this.#toolCalls, "tool call"));
    else if (update.type === "agent_message_chunk") this.#show("answering");
    return Promise.resolve();
  }

  /** Prints a line that has been made safe. */
  line(text: string): void {
    this.#context.screen.story(`[${this.#name}] ${text}`);
  }

  /** The agent has ended. */
  done(how: string): void {
    this.#show(how);
  }

  #show(label: string): void {
    this.#labels.set(this.#name, label);
    const all = [...this.#labels].map(([name, text]) => `${name}: ${text}`);
    this.#context.screen.status(all.join(", "));
  }
}

/**
 * The context of one agent among several. Each has signals of its own, so that a Ctrl-C reaches all of
 * them, and writes nothing to stdout.
 */
export function agentContext(context: Context, cwd: string, progress: Progress): Context {
  const { io: user, values } = context;
  const io = {
    ...user,
    env: withoutGitVariables(user.env),
    stdout: lines(() => {}),
    stderr: lines((line) => progress.line(line)),
    // Only the comparison itself ends Dragoman, after it has removed the worktrees.
    endBySignal: () => {},
  };
  const screen = new Screen(io, { spinner: false, onClosed: () => {} });
  const interrupts = new Interrupts(io);
  const locks = new SessionLocks(io);
  return {
    ...context,
    io,
    cwd,
    screen,
    renderer: progress,
    frames: undefined,
    interrupts,
    locks,
    shown: new ShownUpdates(),
    budget: new Budget(limitsOfBudget(values)),
    clock: new WorkClock(() => io.now()),
    startedAt: io.now(),
    onClosed: () => {},
    dispose: () => releaseAll(interrupts, locks, screen),
  };
}

/** An output that passes on whole lines. */
function lines(use: (line: string) => void): Output {
  let rest = "";
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      const parts = (rest + chunk.toString()).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) use(line);
      done();
    },
  });
  const none = (): undefined => undefined;
  return { stream, isTty: false, columns: none, rows: none, onResize: () => () => {} };
}

import { fileURLToPath } from "node:url";
import { PassThrough, Readable, Writable } from "node:stream";
import type {
  Environment,
  InputKind,
  Io,
  Output,
  SignalName,
  UserTerminal,
} from "../../../../src/apps/cli/shell/io.ts";

const INSPECT_PAGE = fileURLToPath(new URL("../../../support/inspect-page.txt", import.meta.url));

/** A stream that collects its input. Tests can wait for text in it. */
class Sink extends Writable {
  text = "";
  readonly #waiting: { readonly pattern: RegExp | string; readonly resolve: () => void }[] = [];
  #isStalled = false;
  #goOn = (): void => {};

  /** From now on nothing is read, as from a pipe whose reader has stopped. */
  stall(): void {
    this.#isStalled = true;
  }

  /** Reads what has been written in the meantime, and everything after it. */
  read(): void {
    this.#isStalled = false;
    this.#goOn();
  }

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    if (this.#isStalled) this.#goOn = () => this.#take(chunk, done);
    else this.#take(chunk, done);
  }

  #take(chunk: Buffer | string, done: () => void): void {
    this.text += chunk.toString();
    for (const wait of this.#waiting.slice()) {
      if (!this.#has(wait.pattern)) continue;
      this.#waiting.splice(this.#waiting.indexOf(wait), 1);
      wait.resolve();
    }
    done();
  }

  /** Resolves once the collected text matches the pattern. */
  waitFor(pattern: RegExp | string): Promise<void> {
    if (this.#has(pattern)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ pattern, resolve });
    });
  }

  #has(pattern: RegExp | string): boolean {
    return typeof pattern === "string" ? this.text.includes(pattern) : pattern.test(this.text);
  }
}

/** A terminal whose input the test types. */
export class FakeTerminal implements UserTerminal {
  readonly input = new PassThrough();
  readonly output = new Sink();
  closed = 0;
  opened = 0;

  readonly raw: boolean[] = [];

  columns(): number {
    return 80;
  }

  rows(): number {
    return 24;
  }

  onResize(): () => void {
    return () => {};
  }

  setRaw(raw: boolean): void {
    this.raw.push(raw);
  }

  discardTyped(): void {
    while (this.input.read() !== null);
  }

  close(): void {
    this.closed++;
  }

  type(text: string): void {
    this.input.write(text);
  }
}

export interface FakeIoOptions {
  readonly stdin?: string | Readable;
  readonly stdinKind?: InputKind;
  readonly stdoutTty?: boolean;
  readonly stderrTty?: boolean;
  /** The width of stdout and stderr. Default: 80. */
  readonly columns?: number;
  readonly terminal?: FakeTerminal;
  /** Whether stdout and stderr go to the same file. */
  readonly oneOutput?: boolean;
  readonly env?: Environment;
  readonly cwd?: string;
  readonly home?: string;
  readonly now?: () => number;
  /** The path of the dragoman command, which is also the demo agent. */
  readonly dragoman?: string;
  /** The path of the Droid adapter. */
  readonly droidAcp?: string;
  /** Shorter waits. */
  readonly timing?: NonNullable<Io["timing"]>;
}

export interface FakeIo extends Io {
  readonly out: Sink;
  readonly err: Sink;
  /** Sends a signal, as the system would. */
  signal(name: SignalName): void;
  /** The signals that ended the program at once. The run itself goes on in the test. */
  readonly endedBy: readonly SignalName[];
  /** The number of installed signal handlers. */
  readonly listening: () => number;
}

function output(stream: Writable, isTty = false, columns = 80): Output {
  return { stream, isTty, columns: () => columns, rows: () => 24, onResize: () => () => {} };
}

/** Creates the environment of one run inside a test. */
export function fakeIo(options: FakeIoOptions = {}): FakeIo {
  const out = new Sink();
  const err = new Sink();
  const handlers = new Map<SignalName, Set<() => void>>();
  const endedBy: SignalName[] = [];
  const home = options.home ?? "/nowhere/home";
  const stdin =
    options.stdin instanceof Readable
      ? options.stdin
      : Readable.from([Buffer.from(options.stdin ?? "")]);
  return {
    stdin,
    stdinKind: options.stdinKind ?? (options.stdin === undefined ? "other" : "pipe"),
    stdout: output(out, options.stdoutTty, options.columns),
    oneOutput: options.oneOutput ?? false,
    stderr: output(err, options.stderrTty, options.columns),
    env: { HOME: home, PATH: process.env["PATH"], ...options.env },
    cwd: options.cwd ?? "/nowhere",
    home,
    platform: "linux",
    version: "1.2.3",
    self: {
      node: process.execPath,
      dragoman: [options.dragoman ?? "dragoman.js"],
      droidAcp: [options.droidAcp ?? "droid-acp.js"],
      inspectPage: INSPECT_PAGE,
    },
    openTerminal: () => {
      if (options.terminal !== undefined) options.terminal.opened++;
      return options.terminal;
    },
    openTerminalStdio: () => undefined,
    onSignal: (name, handler) => {
      const set = handlers.get(name) ?? new Set();
      handlers.set(name, set.add(handler));
      return () => void set.delete(handler);
    },
    awaitForeground: () => Buffer.alloc(0),
    suspend: () => {},
    onContinue: () => () => {},
    endBySignal: (name) => void endedBy.push(name),
    endedBy,
    now: options.now ?? Date.now,
    ...(options.timing === undefined ? {} : { timing: options.timing }),
    out,
    err,
    signal: (name) => {
      for (const handler of handlers.get(name) ?? []) handler();
    },
    listening: () => [...handlers.values()].reduce((sum, set) => sum + set.size, 0),
  };
}

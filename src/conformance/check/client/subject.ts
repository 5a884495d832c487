import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  deferred,
  joinCommandLine,
  pause,
  ProcessTree,
  runningSince,
  within,
} from "../../../base/index.ts";
import { listenSocket, type SocketListener } from "../../../transport/wire/index.ts";
import { ScratchPlace, type ScratchFiles } from "../subject/home.ts";
import { CheckingAgent } from "./agent.ts";
import type { ClientDriver, DriverAction } from "./driver.ts";
import { behaviourOf, STORED_SESSION, type Scenario } from "./scenario.ts";

/** The client that is checked. */
export interface ClientCommand {
  readonly command: string;
  /** With `{agent}`, `{cwd}` and `{driver}` in them. */
  readonly args: readonly string[];
  readonly driver: ClientDriver;
  /** The words that start the checking agent; the path of a socket is added. */
  readonly agentCommand: readonly string[];
  /** The folder that the client's process starts in. Default: the workspace. */
  readonly cwd?: string | undefined;
  /** Variables besides those of the scratch home. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface ClientRunOptions {
  /** The entries of the driver whose arguments and variables the client gets. */
  readonly drive?: readonly DriverAction[] | undefined;
  /** Values for the placeholders in the arguments of the driver. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  /** Files in the workspace, by name. */
  readonly files?: ScratchFiles | undefined;
  readonly limitMs: number;
}

/** How a client ended. */
export interface ClientEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Whether it ended by itself, and was not ended by the checker. */
  readonly isOwn: boolean;
}

/** The most that is kept of each output. */
const MAX_OUTPUT_BYTES = 96 * 1024 * 1024;
const TERM_MS = 2000;
const POLL_MS = 50;

/** One start of the client, with the agents that it started. */
export class ClientRun {
  readonly agents: CheckingAgent[] = [];
  /** The folder that the client works in. */
  readonly cwd: string;
  readonly startedAt = Date.now();
  /** The most memory that the client's process has used so far; 0 if the system does not say. */
  peakMemoryKb = 0;
  endedAt = 0;
  /** When an agent had answered a prompt; 0 if none has. */
  answeredAt = 0;
  readonly #place: ScratchPlace;
  readonly #listener: SocketListener;
  readonly #tree: ProcessTree;
  readonly #client: ClientCommand;
  readonly #output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  readonly #ended = deferred<ClientEnd>();
  /** Resolves when the client's process has ended. */
  readonly ended = this.#ended.promise;
  readonly #first = deferred<CheckingAgent>();
  /** Resolves with the first agent that the client started. */
  readonly first = this.#first.promise;
  readonly #promptAnswered = deferred();
  /** Resolves when an agent has answered a prompt. */
  readonly promptAnswered = this.#promptAnswered.promise;
  #isForced = false;

  static async start(
    client: ClientCommand,
    scenario: Scenario,
    options: ClientRunOptions,
  ): Promise<ClientRun> {
    const place = await ScratchPlace.create();
    const cwd = await place.workspace(options.files);
    const path = join(place.root, "agent.sock");
    const listener = await listenSocket({ path }, { maxLineBytes: Number.MAX_SAFE_INTEGER });
    const agent = joinCommandLine([...client.agentCommand, path]);
    const args = argumentsOf(
      client,
      { agent, cwd, session: STORED_SESSION, ...options.values },
      options.drive ?? [],
    );
    const env = {
      ...place.env(),
      XDG_RUNTIME_DIR: join(place.home, ".run"),
      ...client.env,
      DRAGOMAN_CHECK_AGENT: agent,
      ...Object.assign({}, ...(options.drive ?? []).map((name) => client.driver[name]?.env ?? {})),
    };
    const needsInput = Object.values(client.driver).some((entry) => entry.keys !== undefined);
    try {
      const tree = await ProcessTree.start(
        { command: client.command, args, cwd: client.cwd ?? cwd, env },
        { stdio: [needsInput ? "pipe" : "ignore", "pipe", "pipe"] },
      );
      return new ClientRun(client, { place, cwd, listener, tree }, scenario, options.limitMs);
    } catch (error) {
      await listener.close();
      await place.remove();
      throw error;
    }
  }

  private constructor(
    client: ClientCommand,
    parts: { place: ScratchPlace; cwd: string; listener: SocketListener; tree: ProcessTree },
    scenario: Scenario,
    limitMs: number,
  ) {
    this.#client = client;
    this.#place = parts.place;
    this.cwd = parts.cwd;
    this.#listener = parts.listener;
    this.#tree = parts.tree;
    const behaviour = behaviourOf(scenario);
    parts.listener.open((channel) => {
      const agent = new CheckingAgent(channel, behaviour, limitMs);
      this.agents.push(agent);
      this.#first.resolve(agent);
      void agent.promptAnswered.then(() => {
        this.answeredAt ||= Date.now();
        this.#promptAnswered.resolve();
      });
    });
    const { child } = parts.tree;
    for (const name of ["stdout", "stderr"] as const) {
      let bytes = 0;
      child[name]?.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MAX_OUTPUT_BYTES) this.#output[name].push(chunk);
      });
    }
    child.stdin?.on("error", () => {});
    const watch = setInterval(() => {
      this.peakMemoryKb = Math.max(this.peakMemoryKb, peakMemoryKb(this.#tree.pid));
    }, POLL_MS);
    void this.ended.then(() => clearInterval(watch));
    const exit = (code: number | null, signal: string | null): void => {
      this.endedAt = Date.now();
      this.#ended.resolve({ code, signal, isOwn: !this.#isForced });
    };
    // The output of a client may be held open by a process that it left behind.
    child.once("exit", (code, signal) => {
      void within(closed, POLL_MS * 10).then(() => exit(code, signal));
    });
    const closed = new Promise<void>((resolve) => {
      child.once("close", () => resolve());
    });
    if (child.exitCode !== null || child.signalCode !== null)
      exit(child.exitCode, child.signalCode);
  }

  get stdout(): string {
    return Buffer.concat(this.#output.stdout).toString();
  }

  get stderr(): string {
    return Buffer.concat(this.#output.stderr).toString();
  }

  /** Does what an entry of the driver says must be done at this moment. */
  drive(action: DriverAction): void {
    const entry = this.#client.driver[action];
    if (entry?.keys !== undefined) this.#tree.child.stdin?.write(entry.keys);
    if (entry?.signal !== undefined) this.signal(entry.signal);
  }

  signal(signal: NodeJS.Signals): void {
    this.#tree.child.kill(signal);
  }

  /** Ends the client because it does not end by itself. */
  stop(): void {
    this.#isForced = true;
    this.#tree.child.stdin?.end();
    this.signal("SIGTERM");
  }

  /** Whether all processes end within the time. */
  async areGone(pids: readonly number[], limitMs: number): Promise<boolean> {
    const since = new Map(pids.map((pid) => [pid, runningSince(pid)]));
    const left = (): boolean =>
      pids.some((pid) => runningSince(pid) !== undefined && runningSince(pid) === since.get(pid));
    const deadline = Date.now() + limitMs;
    while (left() && Date.now() < deadline) {
      await pause(POLL_MS);
    }
    return !left();
  }

  /** Ends everything and removes the folders. */
  async dispose(): Promise<void> {
    this.#isForced = true;
    await this.#tree.end(TERM_MS);
    this.#tree.release();
    for (const agent of this.agents) await agent.close();
    await this.#listener.close();
    await this.#place.remove();
  }
}

/** The most memory that a process has used so far. */
function peakMemoryKb(pid: number): number {
  if (process.platform !== "linux") return 0;
  try {
    const [, text] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(text ?? 0);
  } catch {
    return 0;
  }
}

/** The arguments of the client, with the values of the placeholders. */
function argumentsOf(
  client: ClientCommand,
  values: Readonly<Record<string, string>>,
  drive: readonly DriverAction[],
): readonly string[] {
  const added = drive.map((name) => client.driver[name]?.args ?? []);
  const whole = added.find((args) => args.some((arg) => arg.includes("{agent}")));
  const more = added.filter((args) => args !== whole).flat();
  const base = whole ?? client.args;
  const all = base.includes("{driver}")
    ? base.flatMap((arg) => (arg === "{driver}" ? more : [arg]))
    : [...base, ...more];
  return all.map((arg) =>
    arg.replaceAll(/\{(\w+)\}/g, (text, name: string) => values[name] ?? text),
  );
}

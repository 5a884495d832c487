import { DroidClient, type DroidProcessOptions, type PreparedDroid } from "../../../droid/index.ts";
import { log, quiet } from "../../../base/index.ts";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

interface PoolOptions {
  /** How to start Droid. The folder depends on the session. */
  readonly droid: Omit<DroidProcessOptions, "cwd">;
  readonly home: string;
  /** Whether to start a process before a session needs it. */
  readonly ahead: boolean;
  /** How long to wait with that after a session was opened. */
  readonly aheadDelayMs: number;
  /** How long to keep an unused process that was started ahead. 0: forever. */
  readonly keepMs: number;
}

interface Warm {
  readonly cwd: string;
  readonly prepared: Promise<PreparedDroid>;
  readonly fingerprint: Promise<string>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The Droid processes of one adapter. Starts them, one of them ahead of time, and ends them all.
 *
 * Droid reads the commands, hooks and settings of a project when it starts. So a process serves only
 * the folder it was started in, and only while those files do not change.
 */
export class DroidPool {
  readonly #options: PoolOptions;
  readonly #running = new Set<Pick<DroidClient, "close">>();
  #warm: Warm | undefined;
  #delayed: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Starts a process ahead for a folder. It replaces any other unused process. */
  warm(cwd: string): void {
    if (!this.#options.ahead || this.#closed || this.#warm?.cwd === cwd) return;
    this.#discard();
    const prepared = this.#prepare(cwd);
    const warm: Warm = {
      cwd,
      prepared,
      fingerprint: startFilesFingerprint(cwd, this.#options.home),
      timer: undefined,
    };
    this.#warm = warm;
    const { keepMs } = this.#options;
    if (keepMs > 0) warm.timer = setTimeout(() => this.#discard(warm), keepMs).unref();
    prepared.then(
      (droid) => void droid.closed.then(() => this.#forget(warm)),
      (error: unknown) => {
        this.#forget(warm);
        log(this.#options.droid.logger, "warn", "could not start Droid ahead of time", { error });
      },
    );
  }

  /**
   * Does the same a little later, because a session was opened. Its first prompt often follows at once,
   * and the start of another Droid would delay the answer.
   */
  warmLater(cwd: string): void {
    if (!this.#options.ahead || this.#closed) return;
    clearTimeout(this.#delayed);
    this.#delayed = setTimeout(() => this.warm(cwd), this.#options.aheadDelayMs).unref();
  }

  /**
   * Returns a process for a folder: the one started ahead, if it still fits, or a new one. A process
   * with arguments of its own is always new.
   */
  async take(cwd: string, args: readonly string[] = []): Promise<PreparedDroid> {
    const warm = this.#warm;
    if (warm?.cwd === cwd && args.length === 0) {
      this.#forget(warm);
      const now = await startFilesFingerprint(cwd, this.#options.home);
      if (now === (await warm.fingerprint)) {
        const prepared = await warm.prepared.catch(() => undefined);
        if (prepared && !(await hasEnded(prepared))) return prepared;
      } else {
        void quiet(warm.prepared.then((prepared) => prepared.close()));
      }
    }
    return this.#prepare(cwd, args);
  }

  /** Records that a process in use now has a session, through which it must be closed. */
  adopt(prepared: PreparedDroid, client: DroidClient): void {
    this.#running.delete(prepared);
    this.#watch(client);
    if (this.#closed) void quiet(client.close());
  }

  /** Ends all processes at the same time. No new ones are started. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#delayed);
    this.#discard();
    await Promise.all([...this.#running].map((process) => process.close()));
  }

  async #prepare(cwd: string, args: readonly string[] = []): Promise<PreparedDroid> {
    const prepared = await DroidClient.prepare({ ...this.#options.droid, cwd, args });
    this.#watch(prepared);
    if (this.#closed) {
      await prepared.close();
      throw new Error("the adapter is shutting down");
    }
    return prepared;
  }

  #watch(process: Pick<DroidClient, "close" | "closed">): void {
    this.#running.add(process);
    void process.closed.then(() => this.#running.delete(process));
  }

  #forget(warm: Warm): void {
    clearTimeout(warm.timer);
    if (this.#warm === warm) this.#warm = undefined;
  }

  #discard(warm = this.#warm): void {
    if (!warm) return;
    this.#forget(warm);
    void quiet(warm.prepared.then((prepared) => prepared.close()));
  }
}

async function hasEnded(prepared: PreparedDroid): Promise<boolean> {
  return Promise.race([prepared.closed.then(() => true), Promise.resolve(false)]);
}

/** Files that Droid reads at startup, in the project's and the user's `.factory` folders. */
const READ_AT_START = [
  "settings.json",
  "settings.local.json",
  "mcp.json",
  "hooks.json",
  "commands",
];
/** Only the project's files count: Droid itself writes the user's files when it first starts. */
const READ_IN_PROJECTS = ["droids", "skills"];

async function startFilesFingerprint(cwd: string, home: string): Promise<string> {
  const project = join(cwd, ".factory");
  const paths = [
    ...[...READ_AT_START, ...READ_IN_PROJECTS].map((name) => join(project, name)),
    ...READ_AT_START.map((name) => join(home, ".factory", name)),
  ];
  const fingerprints = await Promise.all(paths.map(fingerprintOf));
  return fingerprints.join("\n");
}

async function fingerprintOf(path: string): Promise<string> {
  const names = await readdir(path).catch(() => []);
  const all = [path, ...names.map((name) => join(path, name))];
  const times = await Promise.all(
    all.map((one) =>
      stat(one).then(
        ({ mtimeMs, size }) => `${mtimeMs}:${size}`,
        () => "-",
      ),
    ),
  );
  return times.join(",");
}

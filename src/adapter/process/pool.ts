import { DroidClient, type DroidProcessOptions, type PreparedDroid } from "../../droid/index.ts";
import { log, quiet } from "../../wire/index.ts";
import { startFilesPrint } from "./start-files.ts";

export interface PoolOptions {
  /** How Droid is started; the folder is each session's own. */
  readonly droid: Omit<DroidProcessOptions, "cwd">;
  readonly home: string;
  /** Whether a process is started before it is needed. */
  readonly ahead: boolean;
  /** How long a process that was started ahead is kept unused; 0 for ever. */
  readonly keepMs: number;
}

interface Closable {
  close(): Promise<void>;
}

/** A process started for the folder that is likely next. */
interface Warm {
  readonly cwd: string;
  readonly prepared: Promise<PreparedDroid>;
  /** What Droid read at its start, as it was then. */
  readonly print: Promise<string>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The Droid processes of one adapter: starts them, one ahead of need, and ends them all.
 *
 * Droid reads a project's commands, hooks and settings when it starts, so a process serves only the
 * folder it was started in, and only while those files are what they were.
 */
export class DroidPool {
  readonly #options: PoolOptions;
  readonly #living = new Set<Closable>();
  #warm: Warm | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Starts a process for a folder, in place of any other that waits. */
  warm(cwd: string): void {
    if (!this.#options.ahead || this.#closed || this.#warm?.cwd === cwd) return;
    this.#letGo();
    const prepared = this.#prepare(cwd);
    const warm: Warm = {
      cwd,
      prepared,
      print: startFilesPrint(cwd, this.#options.home),
      timer: undefined,
    };
    this.#warm = warm;
    const { keepMs } = this.#options;
    if (keepMs > 0) warm.timer = setTimeout(() => this.#letGo(warm), keepMs).unref();
    prepared.then(
      (droid) => void droid.closed.then(() => this.#forget(warm)),
      (error: unknown) => {
        this.#forget(warm);
        log(this.#options.droid.logger, "warn", "Droid could not be started ahead", { error });
      },
    );
  }

  /** A process for a folder: the one that waits, if it still fits, or a new one. */
  async take(cwd: string): Promise<PreparedDroid> {
    const warm = this.#warm;
    if (warm?.cwd === cwd) {
      this.#forget(warm);
      const now = await startFilesPrint(cwd, this.#options.home);
      if (now === (await warm.print)) {
        const prepared = await warm.prepared.catch(() => undefined);
        if (prepared && !(await isGone(prepared))) return prepared;
      } else {
        void quiet(warm.prepared.then((prepared) => prepared.close()));
      }
    }
    return this.#prepare(cwd);
  }

  /** A process that was taken has a session now, and is to be ended by way of it. */
  own(prepared: PreparedDroid, client: DroidClient): void {
    this.#living.delete(prepared);
    this.#watch(client);
    if (this.#closed) void quiet(client.close());
  }

  /** Ends every process, all at the same time. No new ones are started. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#letGo();
    await Promise.all([...this.#living].map((process) => process.close()));
  }

  async #prepare(cwd: string): Promise<PreparedDroid> {
    const prepared = await DroidClient.prepare({ ...this.#options.droid, cwd });
    this.#watch(prepared);
    if (this.#closed) {
      await prepared.close();
      throw new Error("the adapter is shutting down");
    }
    return prepared;
  }

  #watch(process: Closable & { readonly closed: Promise<unknown> }): void {
    this.#living.add(process);
    void process.closed.then(() => this.#living.delete(process));
  }

  #forget(warm: Warm): void {
    clearTimeout(warm.timer);
    if (this.#warm === warm) this.#warm = undefined;
  }

  #letGo(warm = this.#warm): void {
    if (!warm) return;
    this.#forget(warm);
    void quiet(warm.prepared.then((prepared) => prepared.close()));
  }
}

/** Whether a process has ended already, as far as is known now. */
async function isGone(prepared: PreparedDroid): Promise<boolean> {
  return Promise.race([prepared.closed.then(() => true), Promise.resolve(false)]);
}

import { unwatchFile, watchFile } from "node:fs";
import { quiet, toError } from "../../../base/index.ts";
import type { FromFiles } from "./options.ts";

export interface WatchOptions<T> {
  /** How often the files are looked at, in milliseconds. */
  readonly reloadMs: number;
  readonly changed: (value: T) => void;
  /** Called if the files changed and cannot be used. */
  readonly failed: (error: Error) => void;
}

/** The newest value of some files. */
export class WatchedValue<T> {
  readonly #source: FromFiles<T> | undefined;
  readonly #options: WatchOptions<T>;
  readonly #look = (): void => void quiet(this.#reload());
  value: T;
  #isLoading = false;
  #isStale = false;

  private constructor(value: T, source: FromFiles<T> | undefined, options: WatchOptions<T>) {
    this.value = value;
    this.#source = source;
    this.#options = options;
    // Looking at the files regularly also works for those that are replaced, and for network drives.
    for (const file of source?.files ?? []) {
      watchFile(file, { interval: options.reloadMs, persistent: false }, this.#look);
    }
  }

  /** Reads the value for the first time. Rejects if that fails. */
  static async open<T>(source: FromFiles<T>, options: WatchOptions<T>): Promise<WatchedValue<T>> {
    return new WatchedValue(await source.load(), source, options);
  }

  static fixed<T>(value: T): WatchedValue<T> {
    return new WatchedValue(value, undefined, { reloadMs: 0, changed() {}, failed() {} });
  }

  close(): void {
    for (const file of this.#source?.files ?? []) unwatchFile(file, this.#look);
  }

  /** Two files that belong together may change one after the other, so the last change counts. */
  async #reload(): Promise<void> {
    this.#isStale = true;
    if (this.#isLoading || !this.#source) return;
    this.#isLoading = true;
    while (this.#isStale) {
      this.#isStale = false;
      try {
        this.value = await this.#source.load();
        this.#options.changed(this.value);
      } catch (error) {
        this.#options.failed(toError(error));
      }
    }
    this.#isLoading = false;
  }
}

import { closeSync, fstatSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sanitizeLine } from "../../../base/index.ts";

/** The log is at most twice as large as this, with the older part in a second file. */
export const MAX_LOG_BYTES = 1024 * 1024;

/** The files of the log, the older one first. */
export function logFiles(folder: string): readonly [older: string, newer: string] {
  return [join(folder, "hub.log.1"), join(folder, "hub.log")];
}

/** The log of a hub: one line for each event, in a file that only the user can read. */
export class HubLog {
  readonly #folder: string;
  readonly #limit: number;
  #fd: number;

  /** Throws if the file cannot be opened. */
  constructor(folder: string, limit: number = MAX_LOG_BYTES) {
    this.#folder = folder;
    this.#limit = limit;
    this.#fd = opened(folder);
  }

  /** Never throws: a hub works without its log. */
  line(text: string): void {
    try {
      this.#rotate();
      writeSync(this.#fd, `${new Date().toISOString()} ${process.pid} ${sanitizeLine(text)}\n`);
    } catch {
      // The disk may be full.
    }
  }

  #rotate(): void {
    const own = fstatSync(this.#fd);
    if (own.size < this.#limit) return;
    const [older, newer] = logFiles(this.#folder);
    // Another hub of the same user may have done it already.
    if (statSync(newer, { throwIfNoEntry: false })?.ino === own.ino) renameSync(newer, older);
    const before = this.#fd;
    this.#fd = opened(this.#folder);
    closeSync(before);
  }
}

function opened(folder: string): number {
  return openSync(logFiles(folder)[1], "a", 0o600);
}

import type { FileHandle } from "node:fs/promises";
import { JailError, reasonOf, toJailError } from "./errors.ts";
import { find, placeOf, type FoundPath } from "./find.ts";
import { bestHolder, isSame, reopen, type Hold, type Holder } from "./hold.ts";
import { cleanPath, isWithin } from "./paths.ts";
import { replaceFound } from "./replace.ts";
import { Turnstile } from "./turnstile.ts";

export interface JailOptions {
  /** Lets reads, and the working folders of commands, leave the workspace. Writes never do. */
  readonly allowReadOutsideWorkspace?: boolean;
  /** How files are held; the best way of this machine unless told. */
  readonly holder?: Holder;
}

export type Purpose = "read" | "write";

/** A file that was opened for reading. The caller closes the handle. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/** A folder in hand, to start a process in. */
export interface HeldFolder {
  /** Where it really stands. */
  readonly path: string;
  /** What to give to the system as the working folder: it is this very one, whatever its name becomes. */
  readonly entry: string;
  release(): Promise<void>;
}

/**
 * The bounds of one session: its roots. Every path is followed to where it really leads, through all
 * links, and only what stands in a root is used. Work is done on what was found, not on its name.
 *
 * All methods reject with JailError.
 */
export class Jail {
  readonly #roots: readonly string[];
  readonly #options: JailOptions;
  readonly #pinned = new Map<string, string>();

  constructor(roots: readonly string[], options: JailOptions = {}) {
    this.#roots = roots;
    this.#options = options;
  }

  /**
   * Remembers where the roots really stand. What becomes of their names afterwards counts no more;
   * a root that does not exist yet is looked for again with each call.
   */
  async pin(): Promise<void> {
    const holder = await this.#holder();
    for (const root of this.#roots) {
      if (this.#pinned.has(root)) continue;
      const hold = await holder.hold(root).catch(() => undefined);
      if (hold?.stats.isDirectory()) this.#pinned.set(root, hold.key);
      await hold?.release();
    }
  }

  /** Where a path really leads, for a file that exists or for one to be made there. */
  locate(path: string, purpose: Purpose): Promise<string> {
    return this.#with(path, purpose, async (found) => placeOf(found));
  }

  /**
   * Opens a regular file for reading. With `expected`, only if the path still leads there: for
   * work that was allowed on what `locate` told.
   */
  open(path: string, expected?: string): Promise<OpenedFile> {
    return this.#with(path, "read", async (found, holder) => {
      if (!found.exists) throw new JailError(missingReason(found.code), path);
      const { hold } = found;
      if (expected !== undefined && hold.real !== expected) throw new JailError("changed", path);
      if (!hold.stats.isFile()) throw new JailError("not-regular", path);
      const handle = await reopen(holder, hold);
      try {
        const stats = await handle.stat();
        const moved = !holder.staysWithIt && !(await hold.isStill());
        if (moved || !stats.isFile() || !isSame(stats, hold.stats)) {
          throw new JailError("changed", path);
        }
        return { handle, size: stats.size };
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  /**
   * Puts a file in place of the old one, or makes it and the folders it lacks, in one step: nobody
   * sees half of it. The old file's mode is kept. `expected` as with `open`.
   */
  replace(path: string, content: Uint8Array, expected?: string): Promise<void> {
    return this.#with(path, "write", async (found, holder) => {
      if (expected !== undefined && placeOf(found) !== expected) {
        throw new JailError("changed", path);
      }
      const admit = (hold: Hold): Promise<void> => this.#admit(hold, "write", path);
      await replaceFound(holder, admit, found, content);
    });
  }

  /** Takes a folder in hand; whoever gets it releases it. `expected` as with `open`. */
  folder(path: string, expected?: string): Promise<HeldFolder> {
    return this.#with(path, "read", async (found, holder) => {
      if (!found.exists) throw new JailError(missingReason(found.code), path);
      if (expected !== undefined && found.hold.real !== expected) {
        throw new JailError("changed", path);
      }
      if (!found.hold.stats.isDirectory()) throw new JailError("not-a-folder", path);
      // A hold of its own: the one found is released when this work is done.
      const own = await holder.hold(found.hold.base);
      return { path: own.real, entry: own.base, release: () => own.release() };
    });
  }

  /**
   * Finds, admits and works. Others use the same files: when something was replaced meanwhile it is
   * looked at anew, a few times.
   */
  async #with<T>(
    path: string,
    purpose: Purpose,
    work: (found: FoundPath, holder: Holder) => Promise<T>,
  ): Promise<T> {
    for (let looks = 1; ; looks++) {
      try {
        return await this.#once(path, purpose, work);
      } catch (error) {
        const known = toJailError(path, error);
        if (known.reason !== "changed" || looks === MAX_LOOKS) throw known;
      }
    }
  }

  async #once<T>(
    path: string,
    purpose: Purpose,
    work: (found: FoundPath, holder: Holder) => Promise<T>,
  ): Promise<T> {
    const clean = cleanPath(path);
    const holder = await this.#holder();
    return turnstile.run(async () => {
      const found = await find(holder, clean);
      try {
        await this.#admit(found.hold, purpose, path);
        if (isDeleted(found.hold)) throw new JailError("changed", path);
        return await work(found, holder);
      } finally {
        await found.hold.release();
      }
    });
  }

  async #admit(hold: Hold, purpose: Purpose, path: string): Promise<void> {
    if (purpose === "read" && this.#options.allowReadOutsideWorkspace === true) return;
    await this.pin();
    for (const root of this.#pinned.values()) if (isWithin(hold.key, root)) return;
    throw new JailError("outside", path);
  }

  #holder(): Promise<Holder> {
    return this.#options.holder ? Promise.resolve(this.#options.holder) : bestHolder();
  }
}

/** An agent may ask for thousands of files at once; each takes a few handles of this process. */
const turnstile = new Turnstile(32);

/** How often a path that changes under our hands is looked at. */
const MAX_LOOKS = 8;

/** Linux says so in the path of a handle whose file was removed. */
function isDeleted(hold: Hold): boolean {
  return hold.stats.nlink === 0 && hold.key.endsWith(" (deleted)");
}

/** A path through a file that is no folder names nothing. */
function missingReason(code: string | undefined): JailError["reason"] {
  const reason = reasonOf(code);
  return reason === "not-a-folder" ? "not-found" : reason;
}

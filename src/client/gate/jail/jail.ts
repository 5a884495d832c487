import type { FileHandle } from "node:fs/promises";
import { JailError, reasonOf, toJailError } from "./errors.ts";
import { find, realPathOf, type FoundPath } from "./find.ts";
import {
  bestOpener,
  isSameInode,
  reopen,
  type PathHandle,
  type PathOpener,
} from "./path-handle.ts";
import { cleanPath, isWithin } from "./paths.ts";
import { replaceFound } from "./replace.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

export interface JailOptions {
  /** Lets reads, and the working folders of commands, leave the workspace. Writes never do. */
  readonly allowReadOutsideWorkspace?: boolean;
  /** How files are opened. Default: the best opener for this machine. */
  readonly opener?: PathOpener;
}

export type Purpose = "read" | "write";

/** A file opened for reading. The caller closes the handle. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/** An open folder to start a process in. The caller releases it. */
export interface OpenedFolder {
  /** Its path, with all links resolved. */
  readonly path: string;
  /** The working folder to pass to the system: the access path of the open folder. */
  readonly entry: string;
  release(): Promise<void>;
}

/**
 * Keeps one session inside its roots. Every path is resolved through all links, and only entries in a
 * root are used. All work is done on the entry that was found, not on its name.
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

  /** Whether reads may leave the roots. */
  get readsOutside(): boolean {
    return this.#options.allowReadOutsideWorkspace === true;
  }

  /**
   * Remembers the real paths of the roots. Renaming or relinking a root afterwards has no effect. A
   * root that does not exist yet is looked up again with each call.
   */
  async pin(): Promise<void> {
    const opener = await this.#opener();
    for (const root of this.#roots) {
      if (this.#pinned.has(root)) continue;
      const folder = await opener.open(root).catch(() => undefined);
      if (folder?.stats.isDirectory()) this.#pinned.set(root, folder.key);
      await folder?.release();
    }
  }

  /** The real path of a file that exists, or that could be created at this path. */
  locate(path: string, purpose: Purpose): Promise<string> {
    return this.#use(path, purpose, async (found) => realPathOf(found));
  }

  /**
   * The real path of a path that an agent names, and whether it lies inside a root. It grants nothing,
   * so it works for paths outside the roots too.
   */
  async whereIs(path: string): Promise<{ realPath: string; isInside: boolean }> {
    const clean = cleanPath(path);
    const opener = await this.#opener();
    return concurrency.run(async () => {
      const found = await find(opener, clean);
      try {
        await this.pin();
        const roots = [...this.#pinned.values()];
        const isInside = roots.some((root) => isWithin(found.entry.key, root));
        return { realPath: realPathOf(found), isInside };
      } finally {
        await found.entry.release();
      }
    });
  }

  /**
   * Opens a regular file for reading. `expected` is the real path from `locate` for which permission
   * was given: the call rejects with `changed` if the path no longer leads there.
   */
  open(path: string, expected?: string): Promise<OpenedFile> {
    return this.#use(path, "read", async (found, opener) => {
      if (!found.exists) throw new JailError(missingReason(found.code), path);
      const { entry } = found;
      if (expected !== undefined && entry.realPath !== expected) {
        throw new JailError("changed", path);
      }
      if (!entry.stats.isFile()) throw new JailError("not-regular", path);
      const handle = await reopen(opener, entry);
      try {
        const stats = await handle.stat();
        const moved = !opener.bindsToInode && !(await entry.isUnmoved());
        if (moved || !stats.isFile() || !isSameInode(stats, entry.stats)) {
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
   * Replaces a file, or creates it and the folders it lacks. The file changes in one step, so readers
   * never see half of it. It keeps its mode. `expected` works as in `open`.
   */
  replace(path: string, content: Uint8Array, expected?: string): Promise<void> {
    return this.#use(path, "write", async (found, opener) => {
      if (expected !== undefined && realPathOf(found) !== expected) {
        throw new JailError("changed", path);
      }
      const check = (entry: PathHandle): Promise<void> => this.#check(entry, "write", path);
      await replaceFound(opener, check, found, content);
    });
  }

  /** Opens a folder. The caller releases it. `expected` works as in `open`. */
  folder(path: string, expected?: string): Promise<OpenedFolder> {
    return this.#use(path, "read", async (found, opener) => {
      if (!found.exists) throw new JailError(missingReason(found.code), path);
      if (expected !== undefined && found.entry.realPath !== expected) {
        throw new JailError("changed", path);
      }
      if (!found.entry.stats.isDirectory()) throw new JailError("not-a-folder", path);
      // Opened a second time, because the found entry is released when this function returns.
      const own = await opener.open(found.entry.accessPath);
      return { path: own.realPath, entry: own.accessPath, release: () => own.release() };
    });
  }

  /**
   * Finds a path, checks it and works on it. Other programs use the same files: if a file was
   * replaced in the meantime, this starts over, a few times.
   */
  async #use<T>(
    path: string,
    purpose: Purpose,
    work: (found: FoundPath, opener: PathOpener) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#useOnce(path, purpose, work);
      } catch (error) {
        const known = toJailError(path, error);
        if (known.reason !== "changed" || attempt === MAX_ATTEMPTS) throw known;
      }
    }
  }

  async #useOnce<T>(
    path: string,
    purpose: Purpose,
    work: (found: FoundPath, opener: PathOpener) => Promise<T>,
  ): Promise<T> {
    const clean = cleanPath(path);
    const opener = await this.#opener();
    return concurrency.run(async () => {
      const found = await find(opener, clean);
      try {
        await this.#check(found.entry, purpose, path);
        if (isDeleted(found.entry)) throw new JailError("changed", path);
        return await work(found, opener);
      } finally {
        await found.entry.release();
      }
    });
  }

  /** Rejects with `outside` unless the entry may be used. */
  async #check(entry: PathHandle, purpose: Purpose, path: string): Promise<void> {
    if (purpose === "read" && this.#options.allowReadOutsideWorkspace === true) return;
    await this.pin();
    for (const root of this.#pinned.values()) if (isWithin(entry.key, root)) return;
    throw new JailError("outside", path);
  }

  #opener(): Promise<PathOpener> {
    return this.#options.opener ? Promise.resolve(this.#options.opener) : bestOpener();
  }
}

/** An agent may ask for thousands of files at once, and each takes a few file descriptors. */
const concurrency = new ConcurrencyLimit(32);

/** How often a path is tried if it keeps changing while it is in use. */
const MAX_ATTEMPTS = 8;

/** Linux marks the path of a descriptor whose file was removed. */
function isDeleted(entry: PathHandle): boolean {
  return entry.stats.nlink === 0 && entry.key.endsWith(" (deleted)");
}

/** A path that goes through something other than a folder leads to no file. */
function missingReason(code: string | undefined): JailError["reason"] {
  const reason = reasonOf(code);
  return reason === "not-a-folder" ? "not-found" : reason;
}

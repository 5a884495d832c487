import type { FileHandle } from "node:fs/promises";
import type { OpenedFolder, Purpose } from "../workspace/virtual-workspace.ts";
import { JailError, reasonOf, toJailError } from "./errors.ts";
import {
  bestPathOpener,
  DISK_STYLE,
  findPath,
  type FoundPath,
  isSameInode,
  keyOf,
  type PathHandle,
  type PathOpener,
  realPathOf,
  openForReading,
} from "./path-opener.ts";
import { cleanPath } from "./clean-path.ts";
import { replaceFound } from "./replace.ts";
import { ConcurrencyLimit } from "../async.ts";
import { isWithin } from "../../paths.ts";

interface JailOptions {
  /** Lets reads, and the working folders of commands, leave the workspace. Writes never do. */
  readonly allowReadOutsideWorkspace?: boolean | undefined;
  /** How files are opened. Default: the best opener for this machine. */
  readonly opener?: PathOpener | undefined;
}

/** A file opened for reading. The caller closes the handle. */
interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/**
 * Keeps one session inside its roots on this disk. Every path is resolved through all links, and only entries in a
 * root are used. All work is done on the entry that was found, not on its name.
 *
 * All methods reject with JailError.
 */
export class Jail {
  readonly #roots: readonly string[];
  readonly #options: JailOptions;
  #pinned: Promise<readonly RootPlace[]> | undefined;

  constructor(roots: readonly string[], options: JailOptions = {}) {
    this.#roots = roots;
    this.#options = options;
  }

  get readsOutside(): boolean {
    return this.#options.allowReadOutsideWorkspace === true;
  }

  /**
   * Remembers the places of the roots: their real paths or, for a root that does not exist yet, the
   * one it will have below the nearest folder that exists. Links that appear afterwards, in a root's
   * place or above it, lead to other places and have no effect. Resolves with the real paths.
   */
  async pin(): Promise<readonly string[]> {
    return (await this.#places()).map(({ realPath }) => realPath);
  }

  #places(): Promise<readonly RootPlace[]> {
    this.#pinned ??= this.#opener().then((opener) => placesOf(opener, this.#roots));
    return this.#pinned;
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
    const clean = cleanPath(path, DISK_STYLE);
    const opener = await this.#opener();
    return concurrency.run(async () => {
      const found = await findPath(opener, clean);
      try {
        return { realPath: realPathOf(found), isInside: await this.#isInside(found.entry) };
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
      const entry = existing(found, path, expected);
      if (!entry.stats.isFile()) throw new JailError("not-regular", path);
      const handle = await openForReading(opener, entry);
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
      const entry = existing(found, path, expected);
      if (!entry.stats.isDirectory()) throw new JailError("not-a-folder", path);
      // Opened a second time, because the found entry is released when this function returns.
      const own = await opener.open(entry.accessPath);
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
    const clean = cleanPath(path, DISK_STYLE);
    const opener = await this.#opener();
    return concurrency.run(async () => {
      const found = await findPath(opener, clean);
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
    if (!(await this.#isInside(entry))) throw new JailError("outside", path);
  }

  async #isInside(entry: PathHandle): Promise<boolean> {
    const places = await this.#places();
    return places.some(({ key }) => isInRoot(entry, key));
  }

  #opener(): Promise<PathOpener> {
    return this.#options.opener ? Promise.resolve(this.#options.opener) : bestPathOpener();
  }
}

interface RootPlace {
  readonly key: string;
  readonly realPath: string;
}

/** The places of the roots. Leaves out a root whose path cannot be used, such as a loop of links. */
async function placesOf(
  opener: PathOpener,
  roots: readonly string[],
): Promise<readonly RootPlace[]> {
  const places: RootPlace[] = [];
  for (const root of roots) {
    try {
      const found = await findPath(opener, cleanPath(root, DISK_STYLE));
      places.push({ key: keyOf(found), realPath: realPathOf(found) });
      await found.entry.release();
    } catch (error) {
      if (!(error instanceof JailError)) throw error;
    }
  }
  return places;
}

/** Only a folder can be a root: a file in its place is not part of the workspace. */
function isInRoot(entry: PathHandle, place: string): boolean {
  const isBelow = isWithin(entry.key, place, DISK_STYLE);
  return isBelow && (entry.key !== place || entry.stats.isDirectory());
}

/** An agent may ask for thousands of files at once, and each takes a few file descriptors. */
const concurrency = /* @__PURE__ */ new ConcurrencyLimit(32);

/** How often a path is tried if it keeps changing while it is in use. */
const MAX_ATTEMPTS = 8;

/** Linux marks the path of a descriptor whose file was removed. */
function isDeleted(entry: PathHandle): boolean {
  return entry.stats.nlink === 0 && entry.key.endsWith(" (deleted)");
}

/** The entry at a path. A path that goes through something other than a folder leads to no file. */
function existing(found: FoundPath, path: string, expected: string | undefined): PathHandle {
  if (!found.exists) {
    const reason = reasonOf(found.code);
    throw new JailError(reason === "not-a-folder" ? "not-found" : reason, path);
  }
  if (expected !== undefined && found.entry.realPath !== expected) {
    throw new JailError("changed", path);
  }
  return found.entry;
}

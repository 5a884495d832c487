import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { join, parse, posix, resolve, sep } from "node:path";
import { codeOf, JailError } from "./errors.ts";
import { cleanPath } from "./clean-path.ts";
import { constants, type Stats } from "node:fs";
import type { PathStyle } from "../../paths.ts";

/** The target of a path: an existing entry, or missing names below one. */
export type FoundPath =
  | { readonly exists: true; readonly entry: PathHandle }
  | {
      readonly exists: false;
      /** The deepest entry on the way that exists. */
      readonly entry: PathHandle;
      /** The names below it that do not exist. */
      readonly names: readonly [string, ...string[]];
      /** The system's error code for the whole path. */
      readonly code: string | undefined;
    };

/** The limit that Linux itself has. */
const MAX_LINKS = 40;

/**
 * Finds what a clean path leads to. Follows all links, including those whose target does not exist
 * yet. The caller releases the entry. Rejects with JailError if the links form a loop.
 */
export async function findPath(opener: PathOpener, path: string): Promise<FoundPath> {
  let current = path;
  for (let links = 0; links <= MAX_LINKS; links++) {
    const found = await findWithoutDangling(opener, current);
    if (found.exists) return found;
    const next = await danglingTarget(found.entry, found.names).catch(async (error: unknown) => {
      await found.entry.release();
      throw error;
    });
    if (next === undefined) return found;
    await found.entry.release();
    current = next;
  }
  throw new JailError("link-loop", path);
}

/** Searches from the top down, because a hostile path may have thousands of missing names. */
async function findWithoutDangling(opener: PathOpener, path: string): Promise<FoundPath> {
  const whole = await tryOpen(opener, path);
  if ("entry" in whole) return { exists: true, entry: whole.entry };
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  let current = await opener.open(root);
  let folder = root;
  for (const [index, name] of names.entries()) {
    folder = join(folder, name);
    const next = await tryOpen(opener, folder);
    if (!("entry" in next)) {
      return {
        exists: false,
        entry: current,
        names: [name, ...names.slice(index + 1)],
        code: whole.code,
      };
    }
    await current.release();
    current = next.entry;
  }
  // The entry was created during the search.
  return { exists: true, entry: current };
}

async function tryOpen(
  opener: PathOpener,
  path: string,
): Promise<{ readonly entry: PathHandle } | { readonly code: string | undefined }> {
  try {
    return { entry: await opener.open(path) };
  } catch (error) {
    return { code: codeOf(error) };
  }
}

/** Where the path continues if the first missing name is a dangling link; otherwise undefined. */
async function danglingTarget(
  folder: PathHandle,
  [name, ...rest]: readonly [string, ...string[]],
): Promise<string | undefined> {
  const link = `${folder.accessPath}/${name}`;
  const isLink = await lstat(link).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  if (!isLink) return undefined;
  return cleanPath(resolve(folder.realPath, await readlink(link), ...rest), DISK_STYLE);
}

/** The key of a found entry, or the one it would have once created. */
export function keyOf(found: FoundPath): string {
  return found.exists ? found.entry.key : found.entry.keyBelow(found.names);
}

/** The real path of a found entry, or the one it would have once created. */
export function realPathOf(found: FoundPath): string {
  return found.exists ? found.entry.realPath : join(found.entry.realPath, ...found.names);
}

/** A file, folder or other entry on disk, kept open while it is in use. */
export interface PathHandle {
  /** Its path, with all links resolved. */
  readonly realPath: string;
  /** The same path without loss, for comparing: names on disk need not be valid text. */
  readonly key: string;
  /** A path to exactly this entry. With an opener that binds to inodes, it survives renames. */
  readonly accessPath: string;
  readonly stats: Stats;
  /** The key that an entry below this folder would have if no link led to it. */
  keyBelow(names: readonly string[]): string;
  /** True if the entry is still at its real path. */
  isUnmoved(): Promise<boolean>;
  release(): Promise<void>;
}

/** One way to find entries on disk and keep them open. */
export interface PathOpener {
  /** Follows the links in the path. With `noFollow`, rejects if the path itself is a link. */
  open(path: string, options?: { readonly noFollow?: boolean | undefined }): Promise<PathHandle>;
  /** Flags for opening the access path of a handle. */
  readonly reopenFlags: number;
  /** True if a handle stays with the inode that was found, false if it only remembers its path. */
  readonly bindsToInode: boolean;
}

/** How this machine writes paths. */
export const DISK_STYLE: PathStyle = process.platform === "win32" ? "windows" : "posix";

/** Windows has neither flag. */
export const O_NOFOLLOW = process.platform === "win32" ? 0 : constants.O_NOFOLLOW;
const O_NONBLOCK = process.platform === "win32" ? 0 : constants.O_NONBLOCK;

/** A Linux flag with the same value on every architecture Node is built for. Node has no name for it. */
const O_PATH = 0o10000000;

/**
 * Keeps a file descriptor open and reaches the entry through `/proc/self/fd`. A link swapped in
 * afterwards changes nothing, because the descriptor stays with the inode. Opening with O_PATH alone
 * has no effect on the entry, even if it is a pipe or a device.
 */
export const descriptorOpener: PathOpener = {
  // Without O_NOFOLLOW: the access path is itself a link, and the only one possible there.
  reopenFlags: O_NONBLOCK,
  bindsToInode: true,

  async open(path, options = {}): Promise<PathHandle> {
    const flags = O_PATH | (options.noFollow === true ? O_NOFOLLOW : 0);
    const handle = await open(path, flags);
    try {
      const accessPath = `/proc/self/fd/${handle.fd}`;
      const key = await readlink(accessPath, "latin1");
      return {
        realPath: Buffer.from(key, "latin1").toString("utf8"),
        key,
        accessPath,
        stats: await handle.stat(),
        keyBelow: (names) => posix.join(key, Buffer.from(names.join("/")).toString("latin1")),
        isUnmoved: async () => (await readlink(accessPath, "latin1")) === key,
        release: () => handle.close(),
      };
    } catch (error) {
      await handle.close();
      throw error;
    }
  },
};

/**
 * Remembers entries by their real path, for systems without `/proc`. A name may be swapped between
 * check and use, so callers compare the opened file with the checked one afterwards.
 */
export const realPathOpener: PathOpener = {
  reopenFlags: O_NOFOLLOW | O_NONBLOCK,
  bindsToInode: false,

  async open(path, options = {}): Promise<PathHandle> {
    if (options.noFollow === true && (await lstat(path)).isSymbolicLink()) throw linkError(path);
    const realPath = await realpath(path);
    const stats = await lstat(realPath);
    return {
      realPath,
      key: realPath,
      accessPath: realPath,
      stats,
      keyBelow: (names) => join(realPath, ...names),
      isUnmoved: () => isStillAt(realPath, stats),
      release: async () => {},
    };
  },
};

/** An attacker who swaps links at the right moment may pass one check, but is unlikely to pass several. */
const CHECKS = 4;

async function isStillAt(realPath: string, stats: Stats): Promise<boolean> {
  for (let check = 0; check < CHECKS; check++) {
    if ((await realpath(realPath)) !== realPath) return false;
    if (!isSameInode(await lstat(realPath), stats)) return false;
  }
  return true;
}

let best: Promise<PathOpener> | undefined;

/** The best opener for this machine, chosen once. */
export function bestPathOpener(): Promise<PathOpener> {
  best ??= process.platform === "linux" ? linuxOpener() : Promise.resolve(realPathOpener);
  return best;
}

/** A container may lack `/proc`. */
async function linuxOpener(): Promise<PathOpener> {
  try {
    const root = await descriptorOpener.open("/");
    await root.release();
    return root.key === "/" ? descriptorOpener : realPathOpener;
  } catch {
    return realPathOpener;
  }
}

export function isSameInode(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** Opens the entry of a handle for reading. The caller closes it. */
export function openForReading(opener: PathOpener, entry: PathHandle): Promise<FileHandle> {
  return open(entry.accessPath, constants.O_RDONLY | opener.reopenFlags);
}

function linkError(path: string): Error {
  return Object.assign(new Error(`${path} is a link`), { code: "ELOOP" });
}

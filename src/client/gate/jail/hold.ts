import { constants, type Stats } from "node:fs";
import { lstat, open, readlink, realpath, type FileHandle } from "node:fs/promises";

/** Something on disk that was found, and is kept in hand while it is worked with. */
export interface Hold {
  /** Where it really stands, all links resolved. */
  readonly real: string;
  /** The same without loss, for comparing: names on disk need not be valid text. */
  readonly key: string;
  /** A path to this very thing; where the holder stays with it, whatever becomes of its name. */
  readonly base: string;
  readonly stats: Stats;
  /** Whether it is still to be found where it was. */
  isStill(): Promise<boolean>;
  release(): Promise<void>;
}

/** How things are found and held; links in the path are followed, `noFollow` refuses one at its end. */
export interface Holder {
  hold(path: string, options?: { readonly noFollow?: boolean }): Promise<Hold>;
  /** Flags for opening the base of a hold. */
  readonly reopenFlags: number;
  /** True if a hold stays with what was found, false if it only remembers its path. */
  readonly staysWithIt: boolean;
}

/** Windows has neither. */
const O_NOFOLLOW = process.platform === "win32" ? 0 : constants.O_NOFOLLOW;
const O_NONBLOCK = process.platform === "win32" ? 0 : constants.O_NONBLOCK;

/** Of Linux, the same on every architecture Node is built for; Node does not name it. */
const O_PATH = 0o10000000;

/**
 * Holds things by an open handle, and reaches them through `/proc/self/fd`. A link swapped in
 * afterwards changes nothing: the handle stays with what was found. Opening for O_PATH alone has no
 * effect on what is opened, be it a pipe or a device.
 */
export const handleHolder: Holder = {
  // Not O_NOFOLLOW: the base is itself a link, and the only one that can stand there.
  reopenFlags: O_NONBLOCK,
  staysWithIt: true,

  async hold(path, options = {}): Promise<Hold> {
    const flags = O_PATH | (options.noFollow === true ? O_NOFOLLOW : 0);
    const handle = await open(path, flags);
    try {
      const base = `/proc/self/fd/${handle.fd}`;
      const key = await readlink(base, "latin1");
      return {
        real: Buffer.from(key, "latin1").toString("utf8"),
        key,
        base,
        stats: await handle.stat(),
        isStill: async () => (await readlink(base, "latin1")) === key,
        release: () => handle.close(),
      };
    } catch (error) {
      await handle.close();
      throw error;
    }
  },
};

/**
 * Holds things by their real path, where there is no `/proc`. A name may be swapped between the look
 * and the use; what was opened is compared afterwards with what was looked at.
 */
export const pathHolder: Holder = {
  reopenFlags: O_NOFOLLOW | O_NONBLOCK,
  staysWithIt: false,

  async hold(path, options = {}): Promise<Hold> {
    if (options.noFollow === true && (await lstat(path)).isSymbolicLink()) throw linkError(path);
    const real = await realpath(path);
    const stats = await lstat(real);
    return {
      real,
      key: real,
      base: real,
      stats,
      isStill: () => isStillAt(real, stats),
      release: async () => {},
    };
  },
};

/** Whoever swaps links at the right moment may pass one look; to pass each of several is another thing. */
const LOOKS = 4;

async function isStillAt(real: string, stats: Stats): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    if ((await realpath(real)) !== real || !isSame(await lstat(real), stats)) return false;
  }
  return true;
}

let chosen: Promise<Holder> | undefined;

/** The best holder of this machine; looked up once. */
export function bestHolder(): Promise<Holder> {
  chosen ??= process.platform === "linux" ? withProc() : Promise.resolve(pathHolder);
  return chosen;
}

/** A container may come without `/proc`. */
async function withProc(): Promise<Holder> {
  try {
    const hold = await handleHolder.hold("/");
    await hold.release();
    return hold.key === "/" ? handleHolder : pathHolder;
  } catch {
    return pathHolder;
  }
}

/** True if two looks saw the same thing. */
export function isSame(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** Opens what is held for reading. The caller closes it. */
export function reopen(holder: Holder, hold: Hold): Promise<FileHandle> {
  return open(hold.base, constants.O_RDONLY | holder.reopenFlags);
}

/** Creates a file that was not there, below a held folder; a link is never followed. */
export function createIn(folder: Hold, name: string, mode: number): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW;
  return open(`${folder.base}/${name}`, flags, mode);
}

function linkError(path: string): Error {
  return Object.assign(new Error(`${path} is a link`), { code: "ELOOP" });
}

import { join, posix, win32, dirname, resolve } from "node:path";
import { randomUUID } from "node:crypto";
import { type Stats, constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { hasCode } from "./errors.ts";

/** The facts that determine where a user's files are. */
export interface UserEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** The platform, as Node names it. */
  readonly platform: string;
}

const NAME = "dragoman";

/** The folder for the user's settings. `XDG_CONFIG_HOME` takes precedence on every platform. Pure. */
export function configFolder(user: UserEnvironment): string {
  const { env, home } = user;
  return userFolder(user, "XDG_CONFIG_HOME", {
    win32: [env["APPDATA"] ?? join(home, "AppData", "Roaming"), NAME, "Config"],
    darwin: [home, "Library", "Preferences", NAME],
    other: [home, ".config", NAME],
  });
}

/** The folder for state kept between runs. `XDG_STATE_HOME` takes precedence everywhere. Pure. */
export function stateFolder(user: UserEnvironment): string {
  const { env, home } = user;
  return userFolder(user, "XDG_STATE_HOME", {
    win32: [env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), NAME, "State"],
    darwin: [home, "Library", "Application Support", NAME],
    other: [home, ".local", "state", NAME],
  });
}

/** The folder for data, such as installed agents. `XDG_DATA_HOME` takes precedence on every platform. Pure. */
export function dataFolder(user: UserEnvironment): string {
  const { env, home } = user;
  return userFolder(user, "XDG_DATA_HOME", {
    win32: [env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), NAME, "Data"],
    darwin: [home, "Library", "Application Support", NAME],
    other: [home, ".local", "share", NAME],
  });
}

function userFolder(
  { env, platform }: UserEnvironment,
  variable: string,
  defaults: Readonly<Record<"win32" | "darwin" | "other", readonly string[]>>,
): string {
  const base = env[variable];
  const paths = platform === "win32" ? win32 : posix;
  // The XDG specification says to ignore relative values.
  if (base !== undefined && paths.isAbsolute(base)) return join(base, NAME);
  return join(...defaults[platform === "win32" || platform === "darwin" ? platform : "other"]);
}

/** Only the user may read and write the file. */
const FILE_MODE = 0o600;
/** Only the user may enter the folder. */
const FOLDER_MODE = 0o700;
const RIGHTS_OF_OTHERS = 0o077;

const { O_APPEND, O_CREAT, O_WRONLY } = constants;
/** Windows has neither flag. The second keeps a pipe without a reader from blocking. */
const O_SAFE = process.platform === "win32" ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file that only the user can read. If the file exists, it is replaced or continued, and
 * others lose their rights to it. Rejects for a link, because the file that it leads to would be
 * changed, and for a pipe, because it would wait for a reader. Devices and open files, such as
 * `/dev/stderr`, are opened as they are.
 */
export async function openPrivate(path: string, how: "replace" | "append"): Promise<FileHandle> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && isOutput(path, found)) return openOutput(path);
  if (found?.isSymbolicLink() === true)
    throw new Error(`${path} is a link; name the file that it leads to`);
  if (found !== undefined) expectFile(path, found);
  const handle = await open(path, O_WRONLY | O_CREAT | O_APPEND | O_SAFE, FILE_MODE);
  try {
    // It may be another entry by now.
    const opened = await handle.stat();
    expectFile(path, opened);
    if ((opened.mode & RIGHTS_OF_OTHERS) !== 0) await tighten(handle, opened);
    if (how === "replace") await handle.truncate();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Writes a file as {@link openPrivate} opens it. Rejects if it cannot be written. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const handle = await openPrivate(path, "replace");
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file so that readers see either the old or the new content, never a part of it. Only the
 * user can read the file. A link is replaced, not followed. Rejects if the file cannot be written.
 */
export async function writeAtomically(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    await writeFile(partial, text, { mode: FILE_MODE, flag: "wx" });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Whether the user named an output rather than a file: a device, or a link of the system. */
function isOutput(path: string, found: Stats): boolean {
  if (found.isCharacterDevice()) return true;
  return found.isSymbolicLink() && ["/dev", "/dev/fd"].includes(dirname(resolve(path)));
}

/** Without the first, non-blocking handle, a pipe that has lost its reader would wait for a new one. */
async function openOutput(path: string): Promise<FileHandle> {
  const first = await open(path, O_WRONLY | O_APPEND | (constants.O_NONBLOCK ?? 0)).catch(
    (error: unknown) => {
      if (hasCode(error, "ENXIO"))
        throw new Error(`${path} is a pipe that no program reads`, { cause: error });
      throw error;
    },
  );
  try {
    return await open(path, "a");
  } finally {
    await first.close();
  }
}

function expectFile(path: string, found: Stats): void {
  if (found.isFIFO()) throw new Error(`${path} is a pipe, not a file`);
  if (!found.isFile()) throw new Error(`${path} is not a regular file`);
}

/** Some file systems have no modes. There, only the owner of the file is certain. */
async function tighten(handle: FileHandle, { uid }: Stats): Promise<void> {
  try {
    await handle.chmod(FILE_MODE);
  } catch (error) {
    if (uid !== process.getuid?.()) throw error;
  }
}

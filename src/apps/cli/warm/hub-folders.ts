import { join, isAbsolute } from "node:path";
import { stateFolder, type UserEnvironment, hasCode, messageOf } from "../../../base/index.ts";
import { lstat, access, constants, mkdir } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";

/** The folder for the log and for what sessions keep on disk. Pure. */
export function hubDataFolder(user: UserEnvironment): string {
  return join(stateFolder(user), "hub");
}

/** There is no folder in which a hub can listen. The message says why. */
export class NoRuntimeFolderError extends Error {
  override readonly name = "NoRuntimeFolderError";
}

/** Only the user may enter the folder. */
const FOLDER_MODE = 0o700;

const RIGHTS_OF_OTHERS = 0o077;

/** The longest path of a socket, in bytes: 108 with the final zero on Linux, 104 elsewhere. */
const MAX_SOCKET_PATH = { linux: 107, other: 103 };

/** The longest name of a socket: `hub-`, a version, an id and `.sock`. */
const MAX_SOCKET_NAME = 40;

/**
 * The folder for the sockets and records of hubs, created if it is missing: in `$XDG_RUNTIME_DIR`, or
 * named after the user in the folder for temporary files. Rejects with NoRuntimeFolderError if neither
 * can be used, or if one of them belongs to another user, is a link, or can be entered by others.
 */
export async function runtimeFolder(user: UserEnvironment): Promise<string> {
  const problems: string[] = [];
  for (const path of candidates(user)) {
    const problem = await prepared(path, user.platform);
    if (problem === undefined) return path;
    problems.push(problem);
  }
  throw new NoRuntimeFolderError(problems.join("; "));
}

/** The folders that exist already, checked in the same way. Creates none. */
export async function runtimeFolders(user: UserEnvironment): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of candidates(user)) {
    try {
      await checkRuntimeFolder(path, user.platform);
      found.push(path);
    } catch (error) {
      if (error instanceof NoRuntimeFolderError) throw error;
    }
  }
  return found;
}

/** On Windows, sockets are named pipes, which are in no folder. Only the records need one. */
function candidates(user: UserEnvironment): readonly string[] {
  if (user.platform === "win32") return [join(stateFolder(user), "hub")];
  const base = user.env["XDG_RUNTIME_DIR"];
  const own = join(user.env["TMPDIR"] ?? tmpdir(), `dragoman-${userInfo().uid}`);
  return base !== undefined && isAbsolute(base) ? [join(base, "dragoman"), own] : [own];
}

/** Creates the folder if necessary. Resolves with the reason if it cannot be used. */
async function prepared(path: string, platform: string): Promise<string | undefined> {
  const longest = platform === "linux" ? MAX_SOCKET_PATH.linux : MAX_SOCKET_PATH.other;
  if (platform !== "win32" && Buffer.byteLength(path) + 1 + MAX_SOCKET_NAME > longest)
    return `${path} is too long for the path of a socket`;
  try {
    await mkdir(path, { mode: FOLDER_MODE, recursive: platform === "win32" });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) return messageOf(error);
  }
  try {
    await checkRuntimeFolder(path, platform);
    await access(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    // A folder that someone has prepared is a reason to stop, not to look for another one.
    if (error instanceof NoRuntimeFolderError) throw error;
    return messageOf(error);
  }
}

/** Rejects with NoRuntimeFolderError unless only this user can enter the folder. */
export async function checkRuntimeFolder(path: string, platform: string): Promise<void> {
  const found = await lstat(path);
  if (!found.isDirectory()) throw new NoRuntimeFolderError(`${path} is not a folder`);
  if (platform === "win32") return;
  const problem = foreignTo(found);
  if (problem !== undefined) throw new NoRuntimeFolderError(`${path} ${problem}`);
}

/** Why a file or folder is not only this user's; undefined if it is. Pure. */
export function foreignTo(found: {
  readonly uid: number;
  readonly mode: number;
}): string | undefined {
  if (found.uid !== process.getuid?.()) return "belongs to another user";
  if ((found.mode & RIGHTS_OF_OTHERS) !== 0) return "can be used by others: chmod go= it";
  return undefined;
}

import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, lstat, mkdir, rename, unlink, type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { codeOf, JailError, reasonOf } from "./errors.ts";
import {
  type FoundPath,
  isSameInode,
  type PathHandle,
  type PathOpener,
  O_NOFOLLOW,
} from "./path-opener.ts";

type CheckWritable = (entry: PathHandle) => Promise<void>;

/** An open folder, and the name in it to replace. */
interface Target {
  readonly folder: PathHandle;
  readonly name: string;
  /** The file that has this name now, if there is one. */
  readonly old: Stats | undefined;
}

/**
 * Replaces a found file, or creates it with the folders it lacks. It works only below open folders
 * that were checked. A temporary file beside the old one replaces it in one step.
 */
export async function replaceFound(
  opener: PathOpener,
  check: CheckWritable,
  found: FoundPath,
  content: Uint8Array,
): Promise<void> {
  const target = found.exists
    ? await existingTarget(opener, check, found.entry)
    : await newTarget(opener, check, found);
  try {
    await write(target, content);
  } finally {
    await target.folder.release();
  }
}

async function existingTarget(
  opener: PathOpener,
  check: CheckWritable,
  file: PathHandle,
): Promise<Target> {
  const { stats, realPath } = file;
  if (!stats.isFile()) throw new JailError("not-regular", realPath);
  if (stats.nlink === 0) throw new JailError("changed", realPath);
  // The rename itself would not check this: it needs permission on the folder only.
  if ((stats.mode & 0o222) === 0) throw new JailError("read-only", realPath);
  await access(file.accessPath, constants.W_OK);
  const name = basename(realPath);
  const folder = await opener.open(dirname(realPath));
  try {
    await check(folder);
    const now = await lstat(`${folder.accessPath}/${name}`);
    if (!isSameInode(now, stats)) throw new JailError("changed", realPath);
    return { folder, name, old: stats };
  } catch (error) {
    await folder.release();
    throw error;
  }
}

async function newTarget(
  opener: PathOpener,
  check: CheckWritable,
  { entry, names: missing, code }: FoundPath & { readonly exists: false },
): Promise<Target> {
  if (!entry.stats.isDirectory()) throw new JailError("not-a-folder", entry.realPath);
  if (code !== "ENOENT") throw new JailError(reasonOf(code), entry.realPath);
  const names = [...missing];
  const name = names.pop() ?? "";
  let folder = await opener.open(entry.accessPath);
  for (const next of names) {
    const parent = folder;
    try {
      folder = await makeFolder(opener, check, parent, next);
    } finally {
      await parent.release();
    }
  }
  return { folder, name, old: undefined };
}

/** Makes one folder at a time, and never through a link: one may appear there at any moment. */
async function makeFolder(
  opener: PathOpener,
  check: CheckWritable,
  parent: PathHandle,
  name: string,
): Promise<PathHandle> {
  const path = `${parent.accessPath}/${name}`;
  if (!(await parent.isUnmoved())) throw new JailError("changed", parent.realPath);
  await mkdir(path).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  const folder = await opener.open(path, { noFollow: true });
  try {
    if (!folder.stats.isDirectory()) throw new JailError("changed", parent.realPath);
    await check(folder);
    return folder;
  } catch (error) {
    await folder.release();
    throw error;
  }
}

async function write({ folder, name, old }: Target, content: Uint8Array): Promise<void> {
  const temporaryName = `.${randomUUID()}.tmp`;
  if (!(await folder.isUnmoved())) throw new JailError("changed", folder.realPath);
  const handle = await createIn(folder, temporaryName, old ? 0o600 : 0o666);
  const temporary = `${folder.accessPath}/${temporaryName}`;
  try {
    try {
      // Where the opener remembers folders by path only, the new file may be somewhere else.
      const seen = await lstat(temporary);
      if (!isSameInode(seen, await handle.stat()) || !(await folder.isUnmoved())) {
        throw new JailError("changed", folder.realPath);
      }
      await handle.writeFile(content);
      if (old) await copyOwnerAndMode(handle, old);
    } finally {
      await handle.close();
    }
    if (!(await folder.isUnmoved())) throw new JailError("changed", folder.realPath);
    await rename(temporary, `${folder.accessPath}/${name}`);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/** Leaves out the set-user and set-group bits of the old file, which the system drops as well. */
async function copyOwnerAndMode(handle: FileHandle, old: Stats): Promise<void> {
  const fresh = await handle.stat();
  if (fresh.uid !== old.uid || fresh.gid !== old.gid) {
    // Works only for root, or for the owner within their own groups.
    await handle.chown(old.uid, old.gid).catch(() => {});
  }
  await handle.chmod(old.mode & 0o777);
}

/** Creates a new file in an open folder. Never follows a link. */
function createIn(folder: PathHandle, name: string, mode: number): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW;
  return open(`${folder.accessPath}/${name}`, flags, mode);
}

import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, lstat, mkdir, rename, unlink, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { codeOf, JailError, reasonOf } from "./errors.ts";
import type { FoundPath } from "./find.ts";
import { createIn, isSame, type Hold, type Holder } from "./hold.ts";

/** Throws unless what is held may be written to. */
export type Admit = (hold: Hold) => Promise<void>;

/** A folder in hand, and the name in it that is to be replaced. */
interface Target {
  readonly folder: Hold;
  readonly name: string;
  /** What stands there now, if anything does. */
  readonly old: Stats | undefined;
}

/**
 * Replaces a found file, or makes it with the folders it lacks. Everything happens below folders
 * that are in hand and were admitted: a new file beside the old one takes its place in one step.
 */
export async function replaceFound(
  holder: Holder,
  admit: Admit,
  found: FoundPath,
  content: Uint8Array,
): Promise<void> {
  const target = found.exists
    ? await standing(holder, admit, found.hold)
    : await missing(holder, admit, found);
  try {
    await put(target, content);
  } finally {
    await target.folder.release();
  }
}

async function standing(holder: Holder, admit: Admit, file: Hold): Promise<Target> {
  const { stats, real } = file;
  if (!stats.isFile()) throw new JailError("not-regular", real);
  if (stats.nlink === 0) throw new JailError("changed", real);
  // The replacing itself would not ask: it needs rights on the folder alone.
  if ((stats.mode & 0o222) === 0) throw new JailError("read-only", real);
  await access(file.base, constants.W_OK);
  const name = basename(real);
  const folder = await holder.hold(dirname(real));
  try {
    await admit(folder);
    const now = await lstat(`${folder.base}/${name}`);
    if (!isSame(now, stats)) throw new JailError("changed", real);
    return { folder, name, old: stats };
  } catch (error) {
    await folder.release();
    throw error;
  }
}

async function missing(
  holder: Holder,
  admit: Admit,
  found: FoundPath & { readonly exists: false },
): Promise<Target> {
  if (!found.hold.stats.isDirectory()) throw new JailError("not-a-folder", found.hold.real);
  if (found.code !== "ENOENT") throw new JailError(reasonOf(found.code), found.hold.real);
  const names = [...found.names];
  const name = names.pop() ?? "";
  let folder = await holder.hold(found.hold.base);
  for (const next of names) {
    const upper = folder;
    try {
      folder = await makeFolder(holder, admit, upper, next);
    } finally {
      await upper.release();
    }
  }
  return { folder, name, old: undefined };
}

/** One folder at a time, and never through a link: somebody may put one there at any moment. */
async function makeFolder(holder: Holder, admit: Admit, upper: Hold, name: string): Promise<Hold> {
  const path = `${upper.base}/${name}`;
  if (!(await upper.isStill())) throw new JailError("changed", upper.real);
  await mkdir(path).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  const made = await holder.hold(path, { noFollow: true });
  try {
    if (!made.stats.isDirectory()) throw new JailError("changed", upper.real);
    await admit(made);
    return made;
  } catch (error) {
    await made.release();
    throw error;
  }
}

async function put({ folder, name, old }: Target, content: Uint8Array): Promise<void> {
  const draft = `.${randomUUID()}.tmp`;
  if (!(await folder.isStill())) throw new JailError("changed", folder.real);
  const handle = await createIn(folder, draft, old ? 0o600 : 0o666);
  try {
    try {
      // Where folders are held by their paths alone, the new file may have come to be elsewhere.
      const seen = await lstat(`${folder.base}/${draft}`);
      if (!isSame(seen, await handle.stat()) || !(await folder.isStill())) {
        throw new JailError("changed", folder.real);
      }
      await handle.writeFile(content);
      if (old) await keepRights(handle, old);
    } finally {
      await handle.close();
    }
    if (!(await folder.isStill())) throw new JailError("changed", folder.real);
    await rename(`${folder.base}/${draft}`, `${folder.base}/${name}`);
  } catch (error) {
    await unlink(`${folder.base}/${draft}`).catch(() => {});
    throw error;
  }
}

/** The rights of the old file, without its set-user and set-group bits: the system drops those too. */
async function keepRights(handle: FileHandle, old: Stats): Promise<void> {
  const fresh = await handle.stat();
  if (fresh.uid !== old.uid || fresh.gid !== old.gid) {
    // Only the owner's own rights and root's reach this far.
    await handle.chown(old.uid, old.gid).catch(() => {});
  }
  await handle.chmod(old.mode & 0o777);
}

import { lstat, readlink } from "node:fs/promises";
import { join, parse, resolve, sep } from "node:path";
import { codeOf, JailError } from "./errors.ts";
import { DISK_STYLE, type PathHandle, type PathOpener } from "./path-handle.ts";
import { cleanPath } from "./paths.ts";

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
export async function find(opener: PathOpener, path: string): Promise<FoundPath> {
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

/**
 * Stops at a dangling link. Searches from the top down, because a hostile path may have thousands of
 * names that do not exist.
 */
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

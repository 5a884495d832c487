import { lstat, readlink } from "node:fs/promises";
import { join, parse, resolve, sep } from "node:path";
import { codeOf, JailError } from "./errors.ts";
import type { Hold, Holder } from "./hold.ts";
import { cleanPath } from "./paths.ts";

/** What a path leads to: something that exists, or a place below something that does. */
export type FoundPath =
  | { readonly exists: true; readonly hold: Hold }
  | {
      readonly exists: false;
      /** The nearest thing on the way that exists. */
      readonly hold: Hold;
      /** The names below it that do not. */
      readonly names: readonly [string, ...string[]];
      /** What the system said about the whole path. */
      readonly code: string | undefined;
    };

/** As many links as Linux itself follows. */
const MAX_LINKS = 40;

/**
 * Finds what a clean path leads to, through all links, also those whose target does not exist yet.
 * The hold that comes with it must be released. Throws JailError when links lead in circles.
 */
export async function find(holder: Holder, path: string): Promise<FoundPath> {
  let current = path;
  for (let links = 0; links <= MAX_LINKS; links++) {
    const found = await look(holder, current);
    if (found.exists) return found;
    const next = await targetOfLink(found.hold, found.names).catch(async (error: unknown) => {
      await found.hold.release();
      throw error;
    });
    if (next === undefined) return found;
    await found.hold.release();
    current = next;
  }
  throw new JailError("link-loop", path);
}

/** From the top down: a hostile path may have thousands of names that do not exist. */
async function look(holder: Holder, path: string): Promise<FoundPath> {
  const whole = await attempt(holder, path);
  if ("hold" in whole) return { exists: true, hold: whole.hold };
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  let current = await holder.hold(root);
  let folder = root;
  for (const [index, name] of names.entries()) {
    folder = join(folder, name);
    const next = await attempt(holder, folder);
    if (!("hold" in next)) {
      return {
        exists: false,
        hold: current,
        names: [name, ...names.slice(index + 1)],
        code: whole.code,
      };
    }
    await current.release();
    current = next.hold;
  }
  // It came into being while it was being looked for.
  return { exists: true, hold: current };
}

async function attempt(
  holder: Holder,
  path: string,
): Promise<{ readonly hold: Hold } | { readonly code: string | undefined }> {
  try {
    return { hold: await holder.hold(path) };
  } catch (error) {
    return { code: codeOf(error) };
  }
}

/** Where the path goes on if the first missing name is a link to nothing; undefined if it is none. */
async function targetOfLink(
  folder: Hold,
  [name, ...rest]: readonly [string, ...string[]],
): Promise<string | undefined> {
  const link = `${folder.base}/${name}`;
  const isLink = await lstat(link).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  if (!isLink) return undefined;
  return cleanPath(resolve(folder.real, await readlink(link), ...rest));
}

/** Where a found thing stands, or would stand once it is made. */
export function placeOf(found: FoundPath): string {
  return found.exists ? found.hold.real : join(found.hold.real, ...found.names);
}

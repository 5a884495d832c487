import { type HubRoots, openRoots, parseRoot, RootError } from "../../../host/hub/index.ts";
import { usageError } from "../shell/exit.ts";
import type { Context } from "../context/context.ts";

/** The name of the working folder if its own cannot be used. */
const FALLBACK_NAME = "root";

/** The folders of `--root`; without it, the working folder. Throws a usage error. */
export async function rootsOf({ io, values, cwd }: Context): Promise<HubRoots> {
  const given = values.list("root");
  try {
    if (given.length === 0) return await workingFolder(cwd);
    return await openRoots(given.map((text) => parseRoot(text, io.cwd)));
  } catch (error) {
    throw error instanceof RootError ? usageError(error.message) : error;
  }
}

async function workingFolder(cwd: string): Promise<HubRoots> {
  try {
    return await openRoots([parseRoot(cwd, cwd)]);
  } catch (error) {
    if (!(error instanceof RootError)) throw error;
    return openRoots([{ name: FALLBACK_NAME, folder: cwd }]);
  }
}

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { invalidParams } from "../../agent/index.ts";

/**
 * Throws -32602 if a loaded session works in another folder than the client asked for. Droid (seen in
 * 0.225.2) always goes back to the folder in which a session was started.
 */
export async function checkFolder(own: string | undefined, requested: string): Promise<void> {
  if (own === undefined || (await realOf(own)) === (await realOf(requested))) return;
  throw invalidParams({
    path: "cwd",
    message: `must be ${own}, because Droid cannot move a session to another folder`,
  });
}

/** The path without links; the path itself if it does not exist. */
function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

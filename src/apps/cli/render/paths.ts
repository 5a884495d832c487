import { isAbsolute, relative } from "node:path";
import { sanitiseLine } from "./terminal/sanitise.ts";

/** A path for display: relative to the workspace if it is inside, and safe for a terminal. */
export function shownPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return sanitiseLine(path);
  const inside = relative(cwd, path);
  const isInside = inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
  return sanitiseLine(isInside ? inside : path);
}

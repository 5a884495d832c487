import { isAbsolute, relative } from "node:path";
import { sanitiseLine } from "./terminal/sanitise.ts";

/** A path as people like to read it: from the workspace if it is inside, made safe for a terminal. */
export function shownPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return sanitiseLine(path);
  const inside = relative(cwd, path);
  const isInside = inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
  return sanitiseLine(isInside ? inside : path);
}

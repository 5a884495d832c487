import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseRules, type PermissionRule } from "./rules.ts";

/** A permissions file, for sessions in any folder of this disk. */
export interface RulesFile {
  /** The name of the file, for messages. */
  readonly file: string;
  /** The rules for a session in this folder: relative patterns start there. */
  forFolder(cwd: string): readonly PermissionRule[];
}

/** The facts about the user and the system that the patterns of a file depend on. */
export interface RulesEnvironment {
  /** The folder of patterns that start with `~/`. */
  readonly home: string;
  /** The platform, as Node names it. */
  readonly platform: string;
}

/** Reads the text of a permissions file. Throws RulesError. */
export function readRules(
  text: string,
  file: string,
  { home, platform }: RulesEnvironment,
): RulesFile {
  const ignoreCase = platform === "darwin" || platform === "win32";
  const forFolder = (cwd: string): readonly PermissionRule[] =>
    parseRules(text, file, { cwd, home, ignoreCase, resolveLinks });
  // Finds mistakes now, instead of when the first session starts.
  forFolder(home);
  return { file, forFolder };
}

/** The real path of the deepest folder that exists, and the rest as it is. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolveLinks(parent), basename(path));
  }
}

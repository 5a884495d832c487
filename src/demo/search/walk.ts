import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { parseIgnore, type Ignores } from "./ignore.ts";

/** The limits of a walk. */
export interface WalkLimits {
  readonly files: number;
  readonly bytesPerFile: number;
  /** When to stop, on the clock of `performance.now()`. */
  readonly deadline: number;
}

export interface FoundFile {
  readonly path: string;
  /** Relative to the root, with forward slashes. */
  readonly name: string;
}

const MAX_DEPTH = 24;
const MAX_IGNORE_BYTES = 100_000;

/** Folders with generated or third-party files only. */
const SKIPPED_FOLDERS = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  "__pycache__",
  ".venv",
  "target",
]);

/** Generated files that are not worth reading. In a git worktree, `.git` is a file. */
const SKIPPED_FILES = new Set([
  ".git",
  "package-lock.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "Cargo.lock",
]);

const BINARY = new Set(
  (
    "png jpg jpeg gif webp ico bmp pdf zip gz tgz xz bz2 7z jar class so dll dylib exe bin o a wasm " +
    "woff woff2 ttf otf mp3 mp4 mov avi wav ogg sqlite db pyc map"
  ).split(" "),
);

/** The rules of one `.gitignore`, with the path of its folder, which they do not see. */
interface Scope {
  readonly ignores: Ignores;
  readonly prefix: string;
}

/**
 * Yields the text files of a folder, breadth first, so that files near the top are
 * found before a limit is reached. It does not follow links, and it skips what it cannot read.
 */
export async function* walk(
  root: string,
  limits: WalkLimits,
  signal: AbortSignal,
): AsyncGenerator<FoundFile, void, void> {
  let count = 0;
  let level: { readonly name: string; readonly scopes: readonly Scope[] }[] = [
    { name: "", scopes: [] },
  ];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const folder of level) {
      signal.throwIfAborted();
      if (performance.now() > limits.deadline) return;
      const path = join(root, folder.name);
      const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
      const scopes = await withOwnRules(path, folder.name, folder.scopes);
      for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        const name = folder.name === "" ? entry.name : `${folder.name}/${entry.name}`;
        if (entry.isDirectory()) {
          if (!SKIPPED_FOLDERS.has(entry.name) && !isIgnored(name, true, scopes))
            next.push({ name, scopes });
        } else if (entry.isFile() && isText(entry.name) && !isIgnored(name, false, scopes)) {
          if (++count > limits.files) return;
          yield { path: join(root, name), name };
        }
      }
    }
    level = next;
  }
}

/** The text of a file; undefined if it is too large, binary or unreadable. */
export async function readText(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) return undefined;
    const text = await readFile(path, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

async function withOwnRules(
  path: string,
  name: string,
  scopes: readonly Scope[],
): Promise<readonly Scope[]> {
  const text = await readText(join(path, ".gitignore"), MAX_IGNORE_BYTES);
  if (text === undefined) return scopes;
  return [...scopes, { ignores: parseIgnore(text), prefix: name === "" ? "" : `${name}/` }];
}

/** The innermost rule that matches decides. */
function isIgnored(name: string, isFolder: boolean, scopes: readonly Scope[]): boolean {
  for (const { ignores, prefix } of scopes.toReversed()) {
    const ignored = ignores(name.slice(prefix.length), isFolder);
    if (ignored !== undefined) return ignored;
  }
  return false;
}

function isText(name: string): boolean {
  return !SKIPPED_FILES.has(name) && !BINARY.has(extname(name).slice(1).toLowerCase());
}

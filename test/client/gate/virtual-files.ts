import { resolvePath } from "../../../src/client/paths.ts";
import type { VirtualFsProvider } from "../../../src/client/gate/providers/provider.ts";
import { sliceLines } from "../../../src/client/gate/providers/text-window.ts";

/** A file system in memory with links, and everything that was asked of it. */
export interface VirtualFiles {
  readonly files: Map<string, string>;
  readonly links: Map<string, string>;
  readonly asked: string[];
  readonly provider: VirtualFsProvider;
}

export function virtualFiles(
  files: Readonly<Record<string, string>> = {},
  links: Readonly<Record<string, string>> = {},
): VirtualFiles {
  const tree = {
    files: new Map(Object.entries(files)),
    links: new Map(Object.entries(links)),
    asked: [] as string[],
  };
  const provider: VirtualFsProvider = {
    realpath: (path) => {
      tree.asked.push(`realpath ${path}`);
      return follow(tree.links, path);
    },
    readTextFile: ({ path, ...window }) => {
      tree.asked.push(`read ${path}`);
      const text = tree.files.get(path);
      if (text === undefined) throw failure("ENOENT");
      return sliceLines(text, window);
    },
    writeTextFile: ({ path, content }) => {
      tree.asked.push(`write ${path}`);
      tree.files.set(path, content);
    },
  };
  return { ...tree, provider };
}

/** An error as file systems report it. */
export function failure(code: string): Error {
  return Object.assign(new Error(`${code}: made up for a test`), { code });
}

/** Resolves links name by name, also those whose target does not exist. */
function follow(links: ReadonlyMap<string, string>, path: string, depth = 0): string {
  if (depth > 20) throw failure("ELOOP");
  const separator = path.includes("\\") ? "\\" : "/";
  const names = path.split(separator);
  for (let count = 1; count <= names.length; count++) {
    const head = names.slice(0, count).join(separator);
    const target = links.get(head);
    if (target === undefined) continue;
    const folder = names.slice(0, count - 1).join(separator) || separator;
    const rest = names.slice(count).join(separator);
    return follow(links, resolvePath(resolvePath(folder, target), rest), depth + 1);
  }
  return path;
}

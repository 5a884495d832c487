import { JailError } from "../jail/errors.ts";
import { Jail } from "../jail/jail.ts";
import type { ReadRequest, WriteRequest } from "../providers/provider.ts";
import { decodeText, readWindow } from "../providers/text-window.ts";
import type { Purpose, ReadLimits, Workspace, WorkspaceOptions } from "./virtual-workspace.ts";

/** True if this runtime has a disk that a session can work on. */
export const HAS_DISK: boolean = true;

/** The folders of a session on the disk of this machine. */
export function diskWorkspace(roots: readonly string[], options: WorkspaceOptions): Workspace {
  const jail = new Jail(roots, options);
  return {
    readsOutside: jail.readsOutside,
    pin: () => jail.pin(),
    locate: (path: string, purpose: Purpose) => jail.locate(path, purpose),
    whereIs: (path: string) => jail.whereIs(path),
    read: (path, request, limits) => readText(jail, path, request, limits),
    write: (path: string, { path: expected, content }: WriteRequest) =>
      jail.replace(path, Buffer.from(content, "utf8"), expected),
    folder: (path: string, expected: string) => jail.folder(path, expected),
  };
}

async function readText(
  jail: Jail,
  path: string,
  { path: expected, line, limit }: ReadRequest,
  { maxBytes, signals }: ReadLimits,
): Promise<string> {
  const opened = await jail.open(path, expected);
  try {
    if (limit === undefined && line === undefined && opened.size > maxBytes) {
      throw new JailError("too-large", path);
    }
    const bytes = await readWindow(opened.handle, path, { line, limit }, maxBytes, signals);
    return decodeText(bytes, path);
  } finally {
    await opened.handle.close();
  }
}

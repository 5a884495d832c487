import { JailError } from "../jail/errors.ts";
import { Jail } from "../jail/jail.ts";
import type { ReadRequest, WriteRequest } from "../providers/provider.ts";
import { decodeWindow, readWindow } from "../providers/text-window.ts";
import type { ReadLimits, Workspace, WorkspaceOptions } from "./virtual-workspace.ts";

/** True if this runtime has a disk that a session can work on. */
export const HAS_DISK: boolean = true;

export function diskWorkspace(roots: readonly string[], options: WorkspaceOptions): Workspace {
  return new DiskWorkspace(roots, options);
}

class DiskWorkspace extends Jail implements Workspace {
  async read(
    path: string,
    { path: expected, line, limit }: ReadRequest,
    { maxBytes, signals }: ReadLimits,
  ): Promise<string> {
    const opened = await this.open(path, expected);
    try {
      if (limit === undefined && line === undefined && opened.size > maxBytes) {
        throw new JailError("too-large", path);
      }
      const bytes = await readWindow(opened.handle, path, { line, limit }, maxBytes, signals);
      return decodeWindow(bytes, path);
    } finally {
      await opened.handle.close();
    }
  }

  write(path: string, { path: expected, content }: WriteRequest): Promise<void> {
    return this.replace(path, Buffer.from(content, "utf8"), expected);
  }
}

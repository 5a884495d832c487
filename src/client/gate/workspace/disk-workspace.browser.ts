import { JailError } from "../jail/errors.ts";
import type { Workspace, WorkspaceOptions } from "./virtual-workspace.ts";

/** True if this runtime has a disk that a session can work on. */
export const HAS_DISK: boolean = false;

/**
 * The folders of a session about which nothing is known here, because they are on the agent's side.
 * No path is inside them, so only the policy `all` or a person allows work on one.
 */
export function diskWorkspace(_roots: readonly string[], _options: WorkspaceOptions): Workspace {
  const deny = (path: string): Promise<never> => Promise.reject(new JailError("outside", path));
  return {
    readsOutside: false,
    pin: async () => [],
    locate: deny,
    whereIs: deny,
    read: deny,
    write: deny,
    folder: deny,
  };
}

import { stat } from "node:fs/promises";

/** True if sessions can work on this machine's disk. */
export const HAS_FOLDERS: boolean = true;

export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

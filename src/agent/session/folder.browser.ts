/** True if sessions can work on this machine's disk. */
export const HAS_FOLDERS: boolean = false;

/** Resolves with false: this runtime has no disk. */
export async function isFolder(_path: string): Promise<boolean> {
  return false;
}

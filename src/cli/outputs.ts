import { fstatSync } from "node:fs";

/** Whether stdout and stderr of this process go to the same file, pipe or terminal, as after `2>&1`. */
export function outputsAreOne(): boolean {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.dev === err.dev && out.ino === err.ino;
  } catch {
    return false;
  }
}

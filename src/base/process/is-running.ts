import { hasCode } from "../errors.ts";

/** Whether a process with this id exists. That of another user counts, although no signal reaches it. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

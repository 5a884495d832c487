import { readFileSync } from "node:fs";

/** When a process started; 0 if the system does not report it. */
export function startTimeOf(pid: number): number {
  if (process.platform !== "linux") return 0;
  try {
    return startTime(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return 0;
  }
}

/** The fields of `/proc/PID/stat` from the state on. The name before it is in parentheses and may contain some itself. */
export function statFields(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The start time in `/proc/PID/stat`, in clock ticks since the machine started. Pure. */
export function startTime(stat: string): number {
  return Number(statFields(stat)[START_TIME_FIELD] ?? 0);
}

/** Field 22 in proc(5), where the state is field 3. */
const START_TIME_FIELD = 22 - 3;

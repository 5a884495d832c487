/** How a process ended, as Node reports it: exactly one of the two is set. */
export interface ExitStatus {
  /** The exit code; null if a signal ended the process. */
  readonly code: number | null;
  /** The name of the signal, such as `SIGKILL`. */
  readonly signal: string | null;
}

/** Describes how a process ended: `exited with code 3`, `was killed by SIGKILL`. */
export function describeExit(exit: ExitStatus): string {
  return exit.signal === null ? `exited with code ${exit.code}` : `was killed by ${exit.signal}`;
}

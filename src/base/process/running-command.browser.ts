import { quietly } from "../async.ts";
import { SpawnError } from "./command.ts";
import type { CommandStart, RunningCommand } from "./running-command.ts";

/** Rejects with SpawnError: this runtime cannot start processes. */
export function startCommand(start: CommandStart): Promise<RunningCommand> {
  return quietly(async () => {
    throw new SpawnError("other", start, new Error("this runtime cannot start processes"));
  });
}

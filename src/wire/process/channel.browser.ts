import { quietly } from "../async.ts";
import type { ProcessChannel, ProcessOptions } from "./channel.ts";
import { SpawnError } from "./spawn-error.ts";

/** Rejects with SpawnError: this runtime cannot start processes. */
export function openProcess(options: ProcessOptions): Promise<ProcessChannel> {
  return quietly(async () => {
    throw new SpawnError("other", options, new Error("this runtime cannot start processes"));
  });
}

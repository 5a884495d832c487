import { quietly, SpawnError } from "../../../base/index.ts";
import type { ProcessChannel, ProcessOptions } from "./channel.ts";

/** Rejects with SpawnError: this runtime cannot start processes. */
export function openProcess(options: ProcessOptions): Promise<ProcessChannel> {
  return quietly(async () => {
    throw new SpawnError("other", options, new Error("this runtime cannot start processes"));
  });
}

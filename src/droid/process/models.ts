import { quietly } from "../../base/index.ts";
import type { DroidProcessOptions } from "../options.ts";
import { METHODS } from "../protocol/methods.ts";
import type { ModelInfo } from "../protocol/protocol.ts";
import { waitFor, type WaitOptions } from "../wait.ts";
import { openConnection } from "./prepared.ts";

/** Which models to list, and how Droid is started for that. */
export interface ListModelsOptions extends DroidProcessOptions {
  /** Whether to list the models that the user's organisation has disabled too. Default: false. */
  readonly includeDisabled?: boolean | undefined;
}

/**
 * Lists the models that a session could use, without opening one: starts Droid, asks, and ends it.
 * Rejects with UnsupportedByDroidError for versions up to 0.117, and as `DroidClient.prepare` does.
 */
export function listModels(
  options: ListModelsOptions = {},
  wait: WaitOptions = {},
): Promise<readonly ModelInfo[]> {
  return quietly(async () => {
    const connection = await openConnection(options, wait);
    try {
      const ask = async (): Promise<readonly ModelInfo[]> => {
        await connection.recognized;
        const { name, read } = METHODS.listModels;
        const params = options.includeDisabled === true ? { includeDisabled: true } : {};
        return connection.call(name, params, { accept: read });
      };
      return await waitFor(ask, wait);
    } finally {
      await connection.close();
    }
  });
}

import type { ModelRecipe, ModelSetup } from "../../model/index.ts";
import { type CommandLine, joinCommandLine } from "../../../base/index.ts";
import { startTransport } from "../harness/process.ts";
import type { AgentSubject } from "./subject.ts";

export interface CommandSubjectOptions extends Pick<CommandLine, "command" | "args"> {
  /** Default: the command. */
  readonly name?: string | undefined;
  /** The folder that the process starts in. Default: the scratch home. */
  readonly cwd?: string | undefined;
  /** Variables in addition to those that every subject gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Connects the agent with the scripted model. */
  readonly recipe?: ModelRecipe | undefined;
  /** Variables with the address of the scripted model, where `{url}` stands for it. */
  readonly modelEnv?: Readonly<Record<string, string>> | undefined;
}

/** Used by agents that need some address of a model to start; it refuses every connection. */
const NO_MODEL_URL = "http://127.0.0.1:9";

/** A subject that every connection starts anew. */
export function commandSubject(options: CommandSubjectOptions): AgentSubject {
  const { command, args = [], recipe, modelEnv = {} } = options;
  return {
    name: options.name ?? command,
    command: joinCommandLine([command, ...args]),
    isLocal: true,
    hasModel: recipe !== undefined || Object.keys(modelEnv).length > 0,
    recipe,
    connect: async ({ place, modelUrl = NO_MODEL_URL, cwd = options.cwd ?? place.home, env }) => {
      const setup: ModelSetup = recipe?.setUp({ home: place.home, modelUrl }) ?? { env: {} };
      await place.write(setup.files ?? {});
      const addresses = Object.entries(modelEnv).map(([name, template]) => [
        name,
        template.replaceAll("{url}", modelUrl),
      ]);
      return startTransport({
        command,
        args: [...args, ...(setup.args ?? [])],
        cwd,
        env: {
          ...place.env(),
          ...options.env,
          ...setup.env,
          ...Object.fromEntries(addresses),
          ...env,
        },
      });
    },
  };
}

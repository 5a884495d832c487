import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  checkClient,
  type ClientCheckOptions,
  type ClientCommand,
} from "../../../../conformance/check/index.ts";
import { usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import type { CheckChoice, RunSettings } from "./options.ts";

/** The options that a check of a client shares with a check of an agent. */
type ClientHooks = Pick<ClientCheckOptions, "signal" | "onResult" | "onTranscript">;

/** The check of the client after `--`. Throws a usage error if there is none. */
export function clientCheck(
  io: Io,
  { protocol, ids }: CheckChoice,
  { driver = {}, jobs, timeoutMs }: RunSettings,
  [command, ...args]: readonly string[],
): (hooks: ClientHooks) => ReturnType<typeof checkClient> {
  if (command === undefined)
    throw usageError(
      "check client needs the command of a client",
      "dragoman check client -- COMMAND {agent}",
    );
  const agentCommand = [io.self.node, ...io.self.dragoman, "check-agent"];
  const client = { ...startOf(io, command, args), driver, agentCommand };
  return (hooks) => checkClient({ client, protocol, ids, jobs, timeoutMs, ...hooks });
}

/**
 * How the client is started. A client whose arguments name its workspace starts in the user's folder. Any other one
 * starts in the workspace, so relative paths of files become absolute.
 */
function startOf(
  { cwd }: Io,
  command: string,
  args: readonly string[],
): Pick<ClientCommand, "command" | "args" | "cwd"> {
  if (args.some((arg) => arg.includes("{cwd}"))) return { command, args, cwd };
  const found = (word: string): string => {
    const path = resolve(cwd, word);
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : word;
  };
  return { command: /[/\\]/.test(command) ? found(command) : command, args: args.map(found) };
}

import { checkClient, type ClientCheckOptions, parseDriver } from "../../check/index.ts";
import { usageError } from "../exit.ts";
import { type Io, messageOf } from "../io.ts";
import type { CheckChoice, RunSettings } from "./options.ts";

/** The options that a check of a client shares with a check of an agent. */
type ClientHooks = Pick<ClientCheckOptions, "signal" | "onResult" | "onTranscript">;

/** The check of the client after `--`. Throws a usage error if there is none, or for an invalid driver. */
export function clientCheck(
  { self }: Io,
  { protocol, ids }: CheckChoice,
  { driver, jobs, timeoutMs }: RunSettings,
  [command, ...args]: readonly string[],
): (hooks: ClientHooks) => ReturnType<typeof checkClient> {
  if (command === undefined)
    throw usageError(
      "check client needs the command of a client",
      "dragoman check client -- COMMAND {agent}",
    );
  const agentCommand = [self.node, ...self.dragoman, "check-agent"];
  const client = { command, args, driver: driverOf(driver), agentCommand };
  return (hooks) => checkClient({ client, protocol, ids, jobs, timeoutMs, ...hooks });
}

function driverOf(value: unknown): ReturnType<typeof parseDriver> {
  try {
    return parseDriver(value ?? {});
  } catch (error) {
    throw usageError(`--driver: ${messageOf(error)}`);
  }
}

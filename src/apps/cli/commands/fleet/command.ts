import { runAction } from "../../connect/command.ts";
import type { ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { setUpFleet, writeFleetConfig } from "./config.ts";
import { FLEET_ACTIONS } from "./declaration.ts";
import { exportSession, showFleet } from "./status.ts";

/** `dragoman fleet`: shows a fleet or a session of it, or sets up its servers. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  return runAction(parsed, io, FLEET_ACTIONS, {
    status: showFleet,
    export: exportSession,
    setup: setUpFleet,
    config: writeFleetConfig,
  });
}

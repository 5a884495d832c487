import { runAction } from "../../connect/run-command.ts";
import type { ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { timeOption } from "../../shell/option-values.ts";
import { showHubs, showLog, stopHubs } from "../../warm/hub-status.ts";
import { HUB_ACTIONS } from "./declaration.ts";

/** How long running turns may go on after `dragoman hub stop`. */
const STOP_MS = 10_000;

/** `dragoman hub`: the background process that keeps agents warm. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const waitMs = timeOption(parsed.values, "timeout") ?? STOP_MS;
  return runAction(parsed, io, HUB_ACTIONS, {
    status: showHubs,
    stop: (context) => stopHubs(context, waitMs),
    logs: showLog,
  });
}

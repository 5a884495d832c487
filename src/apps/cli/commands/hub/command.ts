import { HUB_ACTIONS } from "./declaration.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { timeOption } from "../../shell/values.ts";
import { usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { runCommand } from "../../connect/command.ts";

/** How long running turns may go on after `dragoman hub stop`. */
const STOP_MS = 10_000;

/** `dragoman hub status|stop|logs`: the background process that keeps agents warm. */
export function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const [word = "status", ...more] = words;
  const action = HUB_ACTIONS.find((name) => name === word);
  if (action === undefined)
    throw usageError(`unknown action "${word}" for hub`, HUB_ACTIONS.join(", "));
  if (more.length > 0) throw usageError(`hub ${action} takes no arguments`);
  const waitMs = timeOption(values, "timeout");
  if (waitMs !== undefined && action !== "stop")
    throw usageError("--timeout applies to hub stop only");
  return runCommand(io, values, {
    run: async (context) => {
      const control = await import("../../warm/control.ts");
      switch (action) {
        case "status":
          return control.showHubs(context);
        case "stop":
          return control.stopHubs(context, waitMs ?? STOP_MS);
        case "logs":
          return control.showLog(context);
      }
    },
  });
}

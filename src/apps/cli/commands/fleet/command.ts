import { FLEET_ACTIONS, FLEET_OPTIONS } from "./declaration.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { type ExitCode, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { runCommand } from "../../connect/command.ts";

/** `dragoman fleet status|export|setup|config`: shows a fleet or a session of it, or sets up its servers. */
export function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const [word = "status", ...more] = words;
  const action = FLEET_ACTIONS.find((name) => name === word);
  if (action === undefined)
    throw usageError(`unknown action "${word}" for fleet`, FLEET_ACTIONS.join(", "));
  if (action === "export" && more.length !== 1)
    throw usageError("fleet export takes one session id");
  if (action !== "export" && more.length > 0)
    throw usageError(`fleet ${action} takes no arguments`);
  const own = values.with(FLEET_OPTIONS);
  if (own.text("out") !== undefined && action !== "config")
    throw usageError("--out applies to fleet config only");
  if (own.list("worker").length > 0 && action !== "config")
    throw usageError("--worker applies to fleet config only");
  if (own.flag("follow") && action !== "export")
    throw usageError("--follow applies to fleet export only");
  return runCommand(io, values, {
    run: async (context) => {
      switch (action) {
        case "status":
          return (await import("./status.ts")).showFleet(context);
        case "export":
          return (await import("./status.ts")).exportSession(context, more.join());
        case "setup":
          return (await import("./config.ts")).setUpFleet(context);
        case "config":
          return (await import("./config.ts")).writeFleetConfig(context);
      }
    },
  });
}

import { JOB_ACTIONS } from "./declaration.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { type ExitCode, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { runCommand } from "../../connect/command.ts";

/** `dragoman jobs submit|list|show|follow|cancel`: prompts that a fleet runs, each in a fresh worktree. */
export function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const [word = "list", ...rest] = words;
  const action = JOB_ACTIONS.find((name) => name === word);
  if (action === undefined)
    throw usageError(`unknown action "${word}" for jobs`, JOB_ACTIONS.join(", "));
  const [id = "", ...more] = rest;
  if (action === "list" && rest.length > 0) throw usageError("jobs list takes no arguments");
  if (action !== "list" && action !== "submit" && (id === "" || more.length > 0))
    throw usageError(`jobs ${action} needs the id of one job`, "dragoman jobs list");
  return runCommand(io, values, {
    run: async (context) => {
      const jobs = await import("./jobs.ts");
      switch (action) {
        case "submit":
          return jobs.submitJob(context, rest);
        case "list":
          return jobs.listJobs(context);
        case "show":
          return jobs.showJob(context, id);
        case "follow":
          return jobs.followJob(context, id);
        case "cancel":
          return jobs.cancelJob(context, id);
      }
    },
  });
}

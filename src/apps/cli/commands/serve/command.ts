import type { ParsedCommandLine } from "../../shell/parse.ts";
import type { ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { openContext, reportingFailure } from "../../context/context.ts";

/**
 * `dragoman serve (-a NAME | -- CMD)`: serves agents to clients on other machines, until a signal ends it.
 * Exits with 0 after it has drained.
 */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { values } = parsed;
  // A server prints notes for people, even if the settings ask for another output.
  values.set("outputmode", "text");
  const context = await openContext(io, values);
  return reportingFailure(context, async () => {
    const { runServer } = await import("../../serve/run.ts");
    return runServer(context, parsed);
  });
}

import type { ParsedCommandLine } from "../../shell/parse.ts";
import { type ExitCode, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { openContext, reportingFailure } from "../../context/context.ts";

/**
 * `dragoman gateway --nats URL`: serves the agents of a fleet to clients, until a signal ends it. Exits with 0
 * after it has drained.
 */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { values, words } = parsed;
  if (words.length > 0) throw usageError(`gateway takes no arguments, but got "${words[0]}"`);
  // It prints notes for people, even if the settings ask for another output.
  values.set("outputmode", "text");
  const context = await openContext(io, values);
  return reportingFailure(context, async () => {
    const { runGateway } = await import("./gateway.ts");
    return runGateway(context);
  });
}

import type { ParsedCommandLine } from "../args/parse.ts";
import { type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import { createContext, reportingFailure } from "../run/context.ts";

/**
 * `dragoman serve (-a NAME | -- CMD)`: serves agents to clients on other machines, until a signal ends it.
 * Exits with 0 after it has drained.
 */
export async function serveCommand(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const context = createContext(io, parsed.values);
  return reportingFailure(context, async () => {
    const { runServer } = await import("../serve/run.ts");
    return runServer(context, parsed);
  });
}

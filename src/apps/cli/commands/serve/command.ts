import { runForPeople } from "../../context/context.ts";
import { runServer } from "../../serve/run.ts";
import type { ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";

/** `dragoman serve`: serves agents to clients on other machines, until a signal ends it and it has drained. */
export function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  return runForPeople(io, parsed.values, (context) => runServer(context, parsed));
}

import type { ParsedCommandLine } from "../../shell/parse.ts";
import { CHECK_OPTIONS, CHECK_WORDS } from "./declaration.ts";
import { EXIT, type ExitCode, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { runForPeople } from "../../context/context.ts";
import { printRequirements } from "./requirements.ts";
import { earlierReports } from "./report.ts";
import { runCheck } from "./run.ts";

/** `dragoman check`: checks an agent or a client, or shows reports of earlier runs. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { values, words, rest } = parsed;
  const [first = "agent", ...more] = words.slice(0, words.length - rest.length);
  const what = CHECK_WORDS.find((word) => word === first);
  if (what === undefined || (what !== "report" && more.length > 0)) throw unknownWords(parsed);
  return runForPeople(io, values, async (context) => {
    if (what === "report") return earlierReports(context, [...more, ...rest]);
    if (!values.with(CHECK_OPTIONS).flag("list")) return runCheck(context, what, rest);
    printRequirements(context, what);
    return EXIT.done;
  });
}

function unknownWords({ words, rest }: ParsedCommandLine): Error {
  const given = words.slice(0, words.length - rest.length).join(" ");
  return usageError(
    `check does not take "${given}"`,
    `dragoman check -a NAME, dragoman check -- COMMAND, or dragoman -- check ${given} to send it as a prompt`,
  );
}

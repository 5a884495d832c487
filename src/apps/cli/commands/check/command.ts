import type { ParsedCommandLine } from "../../shell/parse.ts";
import { CHECK_OPTIONS, CHECK_WORDS } from "./declaration.ts";
import { EXIT, type ExitCode, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { openContext, reportingFailure } from "../../context/context.ts";

/**
 * `dragoman check`: checks an agent or a client, or shows reports of earlier runs. docs/check.md lists the
 * exit codes.
 */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { values, words, rest } = parsed;
  const [first = "agent", ...more] = words.slice(0, words.length - rest.length);
  const what = CHECK_WORDS.find((word) => word === first);
  if (what === undefined || (what !== "report" && more.length > 0)) throw unknownWords(parsed);
  // The report is the output, so the output that the settings ask for does not apply.
  values.set("outputmode", "text");
  const context = await openContext(io, values);
  return reportingFailure(context, async () => {
    if (what === "report") {
      const { earlierReports } = await import("./report.ts");
      return earlierReports(context, [...more, ...rest]);
    }
    if (values.with(CHECK_OPTIONS).flag("list")) {
      const { printList } = await import("./list.ts");
      printList(context, what);
      return EXIT.done;
    }
    const { runCheck } = await import("./run.ts");
    return runCheck(context, what, rest);
  });
}

function unknownWords({ words, rest }: ParsedCommandLine): Error {
  const given = words.slice(0, words.length - rest.length).join(" ");
  return usageError(
    `check does not take "${given}"`,
    `dragoman check -a NAME, dragoman check -- COMMAND, or dragoman -- check ${given} to send it as a prompt`,
  );
}

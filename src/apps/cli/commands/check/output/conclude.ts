import type { JudgedReport, RunOutcome } from "../../../../../conformance/check/index.ts";
import { colourChoice } from "../../../shell/values.ts";
import { EXIT, type ExitCode } from "../../../shell/exit.ts";
import { styleFor } from "../../../render/terminal/style.ts";
import type { Context } from "../../../context/context.ts";
import { type ReportFile, writeReports } from "./report-files.ts";
import { type CheckView, closingText, findingsText } from "./terminal.ts";

const CODES: Readonly<Record<RunOutcome, ExitCode>> = {
  passed: EXIT.done,
  failed: EXIT.agentError,
  "run limit": EXIT.timeout,
  authentication: EXIT.auth,
  "cannot start": EXIT.cannotStart,
  fault: EXIT.checker,
};

/** How the report is printed on stdout. */
export function checkView({ io, values }: Pick<Context, "io" | "values">): CheckView {
  return {
    columns: io.stdout.isTty ? (io.stdout.columns() ?? 80) : undefined,
    style: styleFor(colourChoice(values), io.env, io.stdout),
  };
}

/**
 * Prints the findings and the outcome of each report, and writes the files. Returns the exit code of the
 * first report that did not pass. Throws a usage error if a file cannot be written.
 */
export async function conclude(
  context: Context,
  judged: readonly JudgedReport[],
  files: readonly ReportFile[],
): Promise<ExitCode> {
  const view = checkView(context);
  for (const one of judged) {
    context.screen.answer(`${findingsText(one, view)}${closingText(one, view)}`);
    await context.screen.drained();
  }
  await writeReports(files, judged, context.io);
  const failed = judged.find(({ verdict }) => verdict.outcome !== "passed");
  return failed === undefined ? EXIT.done : CODES[failed.verdict.outcome];
}

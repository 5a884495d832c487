import {
  type JudgedReport,
  type RunOutcome,
  type CheckReport,
  judge,
  parseReport,
  ReportError,
} from "../../../../conformance/check/index.ts";
import { EXIT, type ExitCode, usageError } from "../../shell/exit.ts";
import { type Context, stdoutView } from "../../context/context.ts";
import { type ReportFile, writeReports, reportFiles } from "./files.ts";
import { closingText, findingsText } from "./terminal.ts";
import { CHECK_OPTIONS } from "./declaration.ts";
import { resolve } from "node:path";
import type { Values } from "../../shell/parse.ts";
import { MIB, readGivenFile } from "../../shell/regular-file.ts";
import { levelOf } from "./options.ts";

const CODES: Readonly<Record<RunOutcome, ExitCode>> = {
  passed: EXIT.done,
  failed: EXIT.agentError,
  "run limit": EXIT.timeout,
  authentication: EXIT.auth,
  "cannot start": EXIT.cannotStart,
  fault: EXIT.checker,
};

/** Prints and writes the reports. Returns the exit code of the first one that did not pass. */
export async function conclude(
  context: Context,
  judged: readonly JudgedReport[],
  files: readonly ReportFile[],
): Promise<ExitCode> {
  const view = stdoutView(context);
  for (const one of judged) {
    context.screen.answer(`${findingsText(one, view)}${closingText(one, view)}`);
    await context.screen.drained();
  }
  await writeReports(files, judged, context.io);
  const failed = judged.find(({ verdict }) => verdict.outcome !== "passed");
  return failed === undefined ? EXIT.done : CODES[failed.verdict.outcome];
}

/** A report holds at most a few frames per requirement. */
const MAX_BYTES = 64 * MIB;

/** The options of a run, which reports of earlier runs cannot have. */
const OF_RUNS = [
  "only",
  "skip",
  "list",
  "json",
  "baseline",
  "update-baseline",
  "record-dir",
] as const;

/** `dragoman check report FILE...`: shows reports that earlier runs wrote with `--json`, side by side. */
export async function earlierReports(
  context: Context,
  files: readonly string[],
): Promise<ExitCode> {
  const { io } = context;
  const values = context.values.with(CHECK_OPTIONS);
  expectNoRun(values);
  const [first] = files;
  if (first === undefined)
    throw usageError(
      "check report needs reports",
      "dragoman check report a.json b.json --html FILE",
    );
  const outputs = await reportFiles(values, io);
  const level = levelOf(values);
  const judged: JudgedReport[] = [];
  for (const file of files) {
    const report = await read(resolve(io.cwd, file), file);
    judged.push({ report, verdict: judge(report, level) });
  }
  return conclude(context, judged, outputs);
}

function expectNoRun(values: Values): void {
  for (const name of OF_RUNS)
    if (values.names().includes(name)) throw usageError(`--${name} does not apply to check report`);
}

async function read(path: string, name: string): Promise<CheckReport> {
  const bytes = await readGivenFile(path, name, { maxBytes: MAX_BYTES, what: "report" });
  try {
    return parseReport(bytes.toString("utf8"));
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    throw usageError(`${name}: ${error.message}`);
  }
}

import { CHECK_OPTIONS } from "../declaration.ts";
import { resolve } from "node:path";
import {
  type CheckReport,
  judge,
  type JudgedReport,
  parseReport,
  ReportError,
} from "../../../../../conformance/check/index.ts";
import type { Values } from "../../../shell/parse.ts";
import { type ExitCode, usageError } from "../../../shell/exit.ts";
import { MIB, readGivenFile } from "../../../shell/regular-file.ts";
import type { Context } from "../../../context/context.ts";
import { conclude } from "./conclude.ts";
import { levelOf } from "../options.ts";
import { reportFiles } from "./report-files.ts";

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

/**
 * `dragoman check report FILE...`: shows reports that earlier runs wrote with `--json`, several subjects side
 * by side. The exit code is that of the first run, in order, that did not pass.
 */
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

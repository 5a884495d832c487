import { hasCode, messageOf } from "../../../../../base/index.ts";
import { constants } from "node:fs";
import { access, appendFile, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  htmlReport,
  type JudgedReport,
  junitXml,
  markdownReport,
  reportJson,
} from "../../../../../conformance/check/index.ts";
import type { CheckValues } from "../declaration.ts";
import { usageError } from "../../../shell/exit.ts";
import type { Io } from "../../../shell/io.ts";
import { MIB } from "../../../shell/regular-file.ts";

const FORMS = ["json", "junit", "html", "markdown"] as const;
type Form = (typeof FORMS)[number];

/** A report to write. */
export interface ReportFile {
  readonly form: Form;
  /** As the user wrote it. */
  readonly name: string;
  readonly path: string;
}

/** The files that the options ask for. Throws a usage error if one of them could not be written later. */
export async function reportFiles(
  values: CheckValues,
  { cwd }: Io,
): Promise<readonly ReportFile[]> {
  const files = FORMS.flatMap((form) => {
    const name = values.text(form);
    return name === undefined ? [] : [{ form, name, path: resolve(cwd, name) }];
  });
  for (const { form, name, path } of files) await expectWritable(`--${form} ${name}`, path);
  return files;
}

/** Throws a usage error if a file cannot be written, before a long run. */
export async function expectWritable(what: string, path: string): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory() === true) throw new Error("it is a folder");
    await access(found === undefined ? dirname(path) : path, constants.W_OK);
  } catch (error) {
    const isMissing = hasCode(error, "ENOENT");
    const why = isMissing ? `there is no folder ${dirname(path)}` : messageOf(error);
    throw usageError(`could not write ${what}: ${why}`);
  }
}

/** Writes the reports. Throws a usage error if that fails. */
export async function writeReports(
  files: readonly ReportFile[],
  judged: readonly JudgedReport[],
  io: Pick<Io, "env" | "now">,
): Promise<void> {
  for (const { form, name, path } of files) {
    try {
      if (form === "markdown" && path === io.env["GITHUB_STEP_SUMMARY"])
        await appendSummary(path, judged);
      else await writeFile(path, textOf(form, judged, io));
    } catch (error) {
      throw usageError(`could not write --${form} ${name}: ${messageOf(error)}`);
    }
  }
}

function textOf(form: Form, judged: readonly JudgedReport[], { now }: Pick<Io, "now">): string {
  switch (form) {
    case "json":
      return judged.map(({ report }) => reportJson(report)).join("");
    case "junit":
      return junitXml(judged, { timestamp: new Date(now()).toISOString() });
    case "html":
      return htmlReport(judged);
    case "markdown":
      return markdownReport(judged);
  }
}

/** GitHub's file holds the summary of the whole step, so earlier commands of the step keep their part. */
async function appendSummary(path: string, judged: readonly JudgedReport[]): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  await appendFile(path, markdownReport(judged, MIB - size));
}

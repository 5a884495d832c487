import { hasCode, messageOf, createRedactor, writePrivate } from "../../../../base/index.ts";
import { constants } from "node:fs";
import { access, appendFile, stat, writeFile, readFile } from "node:fs/promises";
import { dirname, resolve, join } from "node:path";
import {
  htmlReport,
  type JudgedReport,
  junitXml,
  markdownReport,
  reportJson,
  type Baseline,
  BaselineError,
  BaselineIdError,
  baselineText,
  type CheckReport,
  parseBaseline,
  updatedBaseline,
  type CaseTranscript,
} from "../../../../conformance/check/index.ts";
import type { CheckValues } from "./declaration.ts";
import { usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { MIB, readGivenFile } from "../../shell/regular-file.ts";
import { type CheckChoice, listHint } from "./options.ts";
import type { CheckedSide } from "../../../../conformance/index.ts";
import { recorder } from "../../../../transport/wire/index.ts";
import { recordingFolder } from "../../connect/recording.ts";

const FORMS = ["json", "junit", "html", "markdown"] as const;
type Form = (typeof FORMS)[number];

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
async function expectWritable(what: string, path: string): Promise<void> {
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

interface BaselineFile {
  /** Its contents; undefined if it does not exist yet. */
  readonly baseline: Baseline | undefined;
  /** Writes it again with what a run found, if `--update-baseline` asks for it, and returns the result. */
  update(report: CheckReport): Promise<Baseline | undefined>;
}

/** Reads the file of `--baseline`, which may be missing with `--update-baseline`. Throws a usage error. */
export async function openBaseline(
  values: CheckValues,
  { cwd }: Io,
  { level, requirements, side }: Pick<CheckChoice, "level" | "requirements" | "side">,
): Promise<BaselineFile> {
  const name = values.text("baseline");
  const updates = values.flag("update-baseline");
  if (name === undefined) {
    if (updates) throw usageError("--update-baseline needs a file", "--baseline FILE");
    return { baseline: undefined, update: async () => undefined };
  }
  const path = resolve(cwd, name);
  const known = new Set(requirements.map(({ id }) => id));
  const baseline =
    updates && (await isMissing(path)) ? undefined : await read(path, name, known, listHint(side));
  if (updates) await expectWritable(`--baseline ${name}`, path);
  return {
    baseline,
    update: async (report) => {
      if (!updates) return baseline;
      const updated = updatedBaseline(report, level, baseline);
      await writeFile(path, baselineText(updated)).catch((error: unknown) => {
        throw usageError(`could not write --baseline ${name}: ${messageOf(error)}`);
      });
      return updated;
    },
  };
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await readFile(path);
    return false;
  } catch (error) {
    return hasCode(error, "ENOENT");
  }
}

/** A baseline that does not exist is most often one that has yet to be written. */
async function existing(path: string, name: string): Promise<Buffer> {
  if (await isMissing(path))
    throw usageError(`--baseline ${name}: no such file`, "--update-baseline to write it");
  return readGivenFile(path, `--baseline ${name}`, { maxBytes: MIB });
}

async function read(
  path: string,
  name: string,
  known: ReadonlySet<string>,
  hint: string,
): Promise<Baseline> {
  const bytes = await existing(path, name);
  try {
    return parseBaseline(bytes.toString("utf8"), known);
  } catch (error) {
    if (!(error instanceof BaselineError)) throw error;
    const isUnknownId = error instanceof BaselineIdError;
    throw usageError(`--baseline ${name}: ${error.message}`, isUnknownId ? hint : undefined);
  }
}

/** Recordings of one requirement that are kept: a rule about all traffic can break in every case. */
const MAX_PER_ID = 5;

/**
 * Writes the connections of failed cases to a folder, one file each, with secrets removed. `dragoman replay`
 * plays the agent's part of them.
 */
export class CaseRecordings {
  readonly #folder: string;
  readonly #side: CheckedSide;
  readonly #startedAt: number;
  readonly #counts = new Map<string, number>();
  readonly #writes: Promise<void>[] = [];
  #failure: unknown;

  private constructor(folder: string, side: CheckedSide, startedAt: number) {
    this.#folder = folder;
    this.#side = side;
    this.#startedAt = startedAt;
  }

  static async open(
    folder: string | undefined,
    { cwd, now }: Pick<Io, "cwd" | "now">,
    side: CheckedSide,
  ): Promise<CaseRecordings | undefined> {
    if (folder === undefined) return undefined;
    return new CaseRecordings(await recordingFolder(folder, cwd), side, now());
  }

  add({ ids, lines, stderr }: CaseTranscript, secrets: readonly string[]): void {
    let text = "";
    const record = recorder((line) => (text += line), { secrets });
    for (const { ms, direction, line } of lines)
      record({ at: this.#startedAt + ms, direction: this.#seenByClient(direction), line });
    const errors = createRedactor(secrets).text(stderr);
    for (const id of ids) {
      const count = (this.#counts.get(id) ?? 0) + 1;
      this.#counts.set(id, count);
      if (count > MAX_PER_ID || text === "") continue;
      const name = count === 1 ? id : `${id}.${count}`;
      this.#write(`${name}.jsonl`, text);
      if (errors !== "") this.#write(`${name}.stderr.txt`, errors);
    }
  }

  /** Waits until everything is written. Throws a usage error if something could not be written. */
  async end(): Promise<void> {
    await Promise.all(this.#writes);
    if (this.#failure !== undefined)
      throw usageError(`could not write to --record-dir: ${messageOf(this.#failure)}`);
  }

  /** A recording has the directions that the client sees. In a check of a client, the checker is the agent. */
  #seenByClient(direction: "in" | "out"): "in" | "out" {
    if (this.#side === "agent") return direction;
    return direction === "in" ? "out" : "in";
  }

  #write(name: string, text: string): void {
    const written = writePrivate(join(this.#folder, name), text).catch((error: unknown) => {
      this.#failure ??= error;
    });
    this.#writes.push(written);
  }
}

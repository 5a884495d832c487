import { hasCode, messageOf } from "../../../../../base/index.ts";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type Baseline,
  BaselineError,
  BaselineIdError,
  baselineText,
  type CheckReport,
  parseBaseline,
  updatedBaseline,
} from "../../../../../conformance/check/index.ts";
import type { CheckValues } from "../declaration.ts";
import { usageError } from "../../../shell/exit.ts";
import type { Io } from "../../../shell/io.ts";
import { MIB, readGivenFile } from "../../../shell/regular-file.ts";
import { type CheckChoice, listLine } from "../options.ts";
import { expectWritable } from "./report-files.ts";

/** The file of `--baseline`. */
export interface BaselineFile {
  /** Its contents; undefined if it does not exist yet. */
  readonly baseline: Baseline | undefined;
  /** Writes it again with what a run found, if `--update-baseline` asks for it, and returns the result. */
  update(report: CheckReport): Promise<Baseline | undefined>;
}

/**
 * Reads the file of `--baseline`. With `--update-baseline` it may be missing. Throws a usage error if it
 * cannot be used, or if it names a requirement that the run does not have.
 */
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
    updates && (await isMissing(path)) ? undefined : await read(path, name, known, listLine(side));
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

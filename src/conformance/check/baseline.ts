import { isJsonObject, type JsonObject, stringField, toError } from "../../base/index.ts";
import {
  type CheckReport,
  type CheckResult,
  type FailLevel,
  reachesFailLevel,
  isViolation,
} from "./check-report.ts";

/** A violation that is known and accepted. */
interface BaselineEntry {
  readonly id: string;
  /** Why it is accepted. */
  readonly reason: string;
  /** Where it is discussed, such as the address of an issue. */
  readonly link?: string | undefined;
  /** The version of the subject that it was seen in. */
  readonly version?: string | undefined;
}

export interface Baseline {
  readonly v: 1;
  /** The name of the subject, for readers of the file. */
  readonly subject?: string | undefined;
  readonly entries: readonly BaselineEntry[];
}

/** The text is not a baseline, or it names a requirement that does not exist. */
export class BaselineError extends Error {
  override readonly name: string = "BaselineError";
}

/** The baseline names something that is not a requirement of the run. */
export class BaselineIdError extends BaselineError {
  override readonly name = "BaselineIdError";
}

/**
 * Reads a baseline. Throws {@link BaselineError} for anything that is not one, for an id that is not in
 * `known`, and for an id that is listed twice. Areas and patterns cannot be listed.
 */
export function parseBaseline(text: string, known: ReadonlySet<string>): Baseline {
  const value = parsedJson(text);
  if (!isJsonObject(value) || value["v"] !== 1 || !Array.isArray(value["entries"]))
    throw new BaselineError('a baseline is a JSON object with "v": 1 and a list of "entries"');
  const listed: readonly unknown[] = value["entries"];
  const entries = listed.map((entry, index) => parseEntry(entry, index + 1, known));
  const ids = new Set<string>();
  for (const { id } of entries) {
    if (ids.has(id)) throw new BaselineError(`${id} is listed twice`);
    ids.add(id);
  }
  return { v: 1, subject: stringField(value, "subject"), entries };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BaselineError(`it is not JSON: ${toError(error).message}`, { cause: error });
  }
}

function parseEntry(value: unknown, number: number, known: ReadonlySet<string>): BaselineEntry {
  if (!isJsonObject(value)) throw new BaselineError(`entry ${number} is not an object`);
  const { id } = value;
  if (typeof id !== "string") throw new BaselineError(`entry ${number} has no "id"`);
  if (!known.has(id))
    throw new BaselineIdError(`"${id}" is not the id of a requirement of this run`);
  const reason = textOf(value, "reason", id);
  if (reason === undefined || reason.trim() === "")
    throw new BaselineError(`${id} has no "reason"`);
  return { id, reason, link: textOf(value, "link", id), version: textOf(value, "version", id) };
}

function textOf(entry: JsonObject, key: string, id: string): string | undefined {
  const value = entry[key];
  if (value === undefined || typeof value === "string") return value;
  throw new BaselineError(`"${key}" of ${id} is not text`);
}

/** The baseline as the text of a file, with one entry per requirement. */
export function baselineText({ subject, entries }: Baseline): string {
  return `${JSON.stringify({ v: 1, subject, entries }, undefined, 2)}\n`;
}

interface AcceptedResult {
  readonly result: CheckResult;
  readonly entry: BaselineEntry;
}

/** The entries of a baseline, by what became of their requirements. */
export interface BaselineComparison {
  readonly accepted: readonly AcceptedResult[];
  /** The requirement passes now, which makes the run fail. */
  readonly stale: readonly BaselineEntry[];
  /** The requirement was skipped, untested, or not judged by a fault of the checker. */
  readonly kept: readonly BaselineEntry[];
}

/** Compares results with a baseline. Without one, nothing is accepted. Pure. */
export function compareWithBaseline(
  results: readonly CheckResult[],
  baseline: Baseline | undefined,
): BaselineComparison {
  const byId = new Map(results.map((result) => [result.id, result]));
  const accepted: AcceptedResult[] = [];
  const stale: BaselineEntry[] = [];
  const kept: BaselineEntry[] = [];
  for (const entry of baseline?.entries ?? []) {
    const result = byId.get(entry.id);
    if (result !== undefined && isViolation(result)) accepted.push({ result, entry });
    else if (result?.status === "passed") stale.push(entry);
    else kept.push(entry);
  }
  return { accepted, stale, kept };
}

const MAX_REASON = 200;

/**
 * The baseline after a run: entries whose requirement passes are gone, and violations that make the run
 * fail are added, with the observation as the reason. All other entries stay as they are. Pure.
 */
export function updatedBaseline(
  { subject, results }: CheckReport,
  level: FailLevel,
  baseline: Baseline | undefined,
): Baseline {
  const { stale } = compareWithBaseline(results, baseline);
  const gone = new Set(stale);
  const old = (baseline?.entries ?? []).filter((entry) => !gone.has(entry));
  const listed = new Set(old.map(({ id }) => id));
  const added = results
    .filter((one) => isViolation(one) && reachesFailLevel(one.level, level) && !listed.has(one.id))
    .map((one) => ({ id: one.id, reason: observation(one), version: subject.version }));
  const position = new Map(results.map(({ id }, index) => [id, index]));
  const entries = [...old, ...added].toSorted(
    (a, b) => (position.get(a.id) ?? results.length) - (position.get(b.id) ?? results.length),
  );
  return { v: 1, subject: baseline?.subject ?? subject.name, entries };
}

function observation({ status, actual, title }: CheckResult): string {
  const text = actual.replace(/\s+/g, " ").trim() || `not met: ${title}`;
  const cut = text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text;
  return status === "unstable" ? `unstable: ${cut}` : cut;
}

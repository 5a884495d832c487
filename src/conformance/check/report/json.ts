import { LEVELS } from "../../index.ts";
import {
  asObject,
  isJsonObject,
  type JsonObject,
  numberField,
  objectField,
  objectsField,
  stringField,
} from "../../../base/index.ts";
import {
  CHECK_STATUSES,
  type CheckReport,
  type CheckResult,
  type CheckSubject,
  type CheckSummary,
  type EvidenceFrame,
  reportSummary,
} from "../check-report.ts";

/** The text is not a report of `dragoman check`, or its version is too new for this program. */
export class ReportError extends Error {
  override readonly name = "ReportError";
}

/** A report as the text of a file. */
export function reportJson(report: CheckReport): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/**
 * Reads a report that {@link reportJson} has written. The counts are made from the results, so that they
 * agree. Throws {@link ReportError} for any other text.
 */
export function parseReport(text: string): CheckReport {
  const value = parsed(text);
  const subject = isJsonObject(value) ? objectField(value, "subject") : undefined;
  if (!isJsonObject(value) || subject === undefined || !Array.isArray(value["results"]))
    throw new ReportError("this is not a report of dragoman check");
  if (value["v"] !== 1)
    throw new ReportError(`the report has version ${String(value["v"])}, not 1`);
  const results = objectsField(value, "results").map(resultOf);
  const schema = asObject(value["schema"]);
  const summary = asObject(value["summary"]);
  const repeat = stringField(value, "repeat");
  const problem = stringField(summary, "problem");
  return {
    v: 1,
    subject: subjectOf(subject),
    schema: {
      version: stringField(schema, "version") ?? "",
      commit: stringField(schema, "commit") ?? "",
    },
    set: stringField(value, "set") ?? "",
    summary: {
      ...reportSummary(results, numberField(summary, "ms") ?? 0, endedOf(summary)),
      ...(problem === undefined ? {} : { problem }),
    },
    ...(repeat === undefined ? {} : { repeat }),
    results,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ReportError(`the report is not JSON: ${String(error)}`, { cause: error });
  }
}

function subjectOf(subject: JsonObject): CheckSubject {
  return {
    side: subject["side"] === "client" ? "client" : "agent",
    name: stringField(subject, "name") ?? "unnamed",
    version: stringField(subject, "version"),
    command: stringField(subject, "command") ?? "",
    protocol: subject["protocol"] === 2 ? 2 : 1,
    capabilities: subject["capabilities"],
  };
}

const ENDS = ["run limit", "authentication", "cannot start"] as const;

function endedOf(summary: JsonObject): CheckSummary["ended"] {
  return ENDS.find((one) => one === summary["ended"]);
}

function resultOf(value: JsonObject): CheckResult {
  const id = stringField(value, "id");
  const level = LEVELS.find((one) => one === value["level"]);
  const status = CHECK_STATUSES.find((one) => one === value["status"]);
  if (id === undefined || level === undefined || status === undefined)
    throw new ReportError(`a result has no valid id, level or status (${id ?? "no id"})`);
  const reason = stringField(value, "reason");
  return {
    id,
    level,
    status,
    area: stringField(value, "area") ?? "",
    title: stringField(value, "title") ?? "",
    source: stringField(value, "source") ?? "",
    expected: stringField(value, "expected") ?? "",
    actual: stringField(value, "actual") ?? "",
    evidence: stringField(value, "evidence") ?? "",
    ...(reason === undefined ? {} : { reason }),
    frames: objectsField(value, "frames").map(frameOf),
    ms: numberField(value, "ms") ?? 0,
  };
}

function frameOf(value: JsonObject): EvidenceFrame {
  return {
    n: numberField(value, "n") ?? 0,
    direction: value["direction"] === "out" ? "out" : "in",
    line: stringField(value, "line") ?? "",
  };
}

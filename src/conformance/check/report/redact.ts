import {
  asObject,
  createRedactor,
  isStringList,
  joinCommandLine,
  splitCommandLine,
} from "../../../base/index.ts";
import type { CheckReport, CheckResult } from "../check-report.ts";

/** Removes secrets from a report. */
export interface ReportRedactor {
  readonly result: (result: CheckResult) => CheckResult;
  readonly report: (report: CheckReport) => CheckReport;
}

/**
 * Creates a redactor for everything that came from the subject: its frames, the observations made from
 * them, its command line and its capabilities. It hides these values wherever they appear, and everything
 * that looks like a secret.
 */
export function reportRedactor(secrets: readonly string[]): ReportRedactor {
  const { line, text, value } = createRedactor(secrets);
  const command = (from: string): string => {
    try {
      const given = { args: splitCommandLine(from) };
      const clean = asObject(value(given))["args"];
      return clean === given.args || !isStringList(clean) ? text(from) : joinCommandLine(clean);
    } catch {
      // It has an open quote, so it is not a command line.
      return text(from);
    }
  };
  const result = (from: CheckResult): CheckResult => ({
    ...from,
    expected: text(from.expected),
    actual: text(from.actual),
    evidence: text(from.evidence),
    ...(from.reason === undefined ? {} : { reason: text(from.reason) }),
    frames: from.frames.map((frame) => ({ ...frame, line: line(frame.line) })),
  });
  return {
    result,
    report: (from) => ({
      ...from,
      subject: {
        ...from.subject,
        name: text(from.subject.name),
        version: from.subject.version && text(from.subject.version),
        command: command(from.subject.command),
        capabilities: value(from.subject.capabilities),
      },
      summary: {
        ...from.summary,
        ...(from.summary.problem === undefined ? {} : { problem: text(from.summary.problem) }),
      },
      ...(from.repeat === undefined ? {} : { repeat: command(from.repeat) }),
      results: from.results.map(result),
    }),
  };
}

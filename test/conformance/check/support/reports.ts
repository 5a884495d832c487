import type {
  CheckReport,
  CheckResult,
  CheckSubject,
  CheckSummary,
} from "../../../../src/conformance/check/index.ts";
import { reportSummary } from "../../../../src/conformance/check/check-report.ts";

/** A result with defaults: a passed MUST of the area "initialize". */
export function resultOf(fields: Partial<CheckResult> & { readonly id: string }): CheckResult {
  return {
    level: "MUST",
    status: "passed",
    area: "initialize",
    title: `The subject keeps ${fields.id}`,
    source: "v1/initialization",
    expected: "",
    actual: "",
    evidence: "2 frames",
    frames: [],
    ms: 12,
    ...fields,
  };
}

/** A violation with everything that a report shows about it. */
export function failureOf(id: string, fields: Partial<CheckResult> = {}): CheckResult {
  return resultOf({
    id,
    status: "failed",
    expected: "a result with protocolVersion 1",
    actual: "an error with the code -32603",
    frames: [
      { n: 1, direction: "out", line: '{"jsonrpc":"2.0","id":0,"method":"initialize"}' },
      { n: 1, direction: "in", line: '{"jsonrpc":"2.0","id":0,"error":{"code":-32603}}' },
    ],
    ...fields,
  });
}

/** A report about one subject. */
export function reportOf(
  results: readonly CheckResult[],
  subject: Partial<CheckSubject> = {},
  ended?: CheckSummary["ended"],
): CheckReport {
  return {
    v: 1,
    subject: {
      side: "agent",
      name: "example",
      version: "1.2.3",
      command: "example --acp",
      protocol: 1,
      capabilities: { loadSession: true },
      ...subject,
    },
    schema: { version: "2.4.0", commit: "b7f0005" },
    set: "v1-2026-08",
    summary: reportSummary(results, 4200, ended),
    repeat: "dragoman check --only @ID@ -- example --acp",
    results,
  };
}

/** One result of every kind, in three areas. */
export const MIXED: readonly CheckResult[] = [
  resultOf({ id: "ACP-INIT-001" }),
  failureOf("ACP-INIT-002"),
  failureOf("DRA-INIT-05", { level: "WARN", actual: "silence for 10 s" }),
  failureOf("ACP-CANCEL-001", {
    area: "cancel",
    status: "unstable",
    actual: "end_turn in 1 of 3 runs",
  }),
  resultOf({
    id: "DRA-CAN-02",
    area: "cancel",
    level: "SHOULD",
    status: "untested",
    evidence: "",
    reason: "no turn was running",
  }),
  resultOf({
    id: "ACP-LOAD-001",
    area: "load",
    status: "skipped",
    evidence: "",
    reason: "loadSession is not advertised",
  }),
  resultOf({
    id: "ACP-LOAD-002",
    area: "load",
    status: "fault",
    reason: "a frame of the checker was not valid",
  }),
  resultOf({ id: "ACP-STDERR-001", area: "load", level: "INFO", evidence: "0 bytes" }),
];

/** Text that must never act, with markup of every form of report. */
export const EVIL = `</pre></details><script>alert("1")</script><img src=x onerror='alert(2)'>&amp;]]>\u001b[2J\u0000\`\`\`\n# x | y [a](javascript:1)`;

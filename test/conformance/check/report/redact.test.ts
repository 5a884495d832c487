import { expect, it } from "vitest";
import { reportRedactor } from "../../../../src/conformance/check/report/redact.ts";
import { failureOf, reportOf } from "../support/reports.ts";

const SECRET = "correct-horse-battery";

it("hides given values and everything that looks like a secret, wherever the subject put it", () => {
  const result = failureOf("A", {
    actual: `the agent printed ${SECRET}`,
    evidence: "Authorization: Bearer abcdefgh12345678",
    reason: `login with ${SECRET} failed`,
    frames: [
      {
        n: 1,
        direction: "in",
        line: `{"params":{"text":"${SECRET}","env":[{"name":"A","value":"b"}]}}`,
      },
      {
        n: 2,
        direction: "out",
        line: `{"params":{"mcpServers":[{"url":"https://h/?key=hunter33&x=1"}]}}`,
      },
      { n: 3, direction: "in", line: `{"cut off","apiKey":"abc` },
    ],
  });
  const { report } = reportRedactor([SECRET]);
  const clean = report({
    ...reportOf([result], {
      command: `agent --token ${SECRET} --api-key=hunter22`,
      capabilities: { _meta: { token: "t-1" } },
    }),
    repeat: "dragoman check --only @ID@ -- agent --token abc",
  });
  const text = JSON.stringify(clean);
  for (const secret of [SECRET, "abcdefgh12345678", "hunter22", "hunter33", "t-1", '"b"', "abc"])
    expect(text).not.toContain(secret);
  expect(clean.repeat).toBe("dragoman check --only @ID@ -- agent --token '[redacted]'");
});

it("leaves everything else as it is", () => {
  const report = reportOf([failureOf("A")], { command: "agent 'a b' {x}" });
  expect(reportRedactor([]).report(report)).toEqual(report);
});

it("keeps a command line that cannot be split", () => {
  const report = reportOf([], { command: "agent 'open" });
  expect(reportRedactor([]).report(report).subject.command).toBe("agent 'open");
});

import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../../../../src/host/hub/index.ts";
import { REDACTED } from "../../../../src/base/index.ts";
import { auditLine } from "../../../../src/host/hub/audit/entry.ts";

const TIME = new Date("2026-01-02T03:04:05.678Z");
const path = (text: string, realPath = text) => ({ path: text, realPath, isInside: true });
const NOTHING = { paths: [], commands: [], isComplete: true };

function line(rest: Partial<AuditEntry> = {}): string {
  return auditLine(
    {
      agent: "droid",
      owner: "laptop",
      session: "s1",
      method: "session/request_permission",
      kind: "edit",
      targets: NOTHING,
      decision: "allow",
      by: { type: "rule", rule: 3, file: "rules.json" },
      ...rest,
    },
    TIME,
  );
}

describe("a line of the audit log", () => {
  it("says when, who, what and why", () => {
    expect(JSON.parse(line())).toEqual({
      time: "2026-01-02T03:04:05.678Z",
      agent: "droid",
      owner: "laptop",
      session: "s1",
      method: "session/request_permission",
      kind: "edit",
      targets: {},
      decision: "allow",
      by: { type: "rule", rule: 3, file: "rules.json" },
    });
  });

  it("has the paths, and where they lead", () => {
    const paths = [path("/w/a"), path("/w/link", "/etc/passwd")];
    const { targets } = JSON.parse(line({ targets: { ...NOTHING, paths, isComplete: false } }));
    expect(targets).toEqual({
      paths: ["/w/a", { path: "/w/link", realPath: "/etc/passwd" }],
      more: true,
    });
  });

  it("has the commands and the names of their variables, but no values", () => {
    const cwd = path("/w");
    const commands = [
      { line: undefined, words: ["npm", "test"], cwd, env: { SECRET: "hunter2hunter2" } },
      { line: "npm run build", words: undefined, cwd, env: {} },
    ];
    const text = line({ kind: "execute", targets: { ...NOTHING, commands } });
    expect(JSON.parse(text).targets.commands).toEqual([
      { command: ["npm", "test"], cwd: "/w", variables: ["SECRET"] },
      { line: "npm run build", cwd: "/w" },
    ]);
    expect(text).not.toContain("hunter2");
  });

  it.each([
    { words: ["curl", "--token", "hunter2hunter2", "http://x"], line: undefined },
    { words: ["curl", "-H", "Authorization: Bearer hunter2hunter2"], line: undefined },
    { words: undefined, line: "curl -H 'Authorization: Bearer hunter2hunter2' http://x" },
    { words: ["curl", "https://h/?key=hunter2hunter2&x=1"], line: undefined },
    { words: undefined, line: "curl 'https://h/?api_key=hunter2hunter2&x=1'" },
    { words: undefined, line: "PASSWORD=hunter2hunter2 deploy" },
  ])("has no secrets in %j", (command) => {
    const commands = [{ ...command, cwd: path("/w"), env: {} }];
    const text = line({ targets: { ...NOTHING, commands } });
    expect(text).not.toContain("hunter2");
    expect(text).toContain(REDACTED);
  });

  it("has no part of a secret that is cut off", () => {
    const words = [`${" ".repeat(990)}ghp_${"a1B2".repeat(9)}`];
    const commands = [{ words, line: undefined, cwd: path("/w"), env: {} }];
    expect(line({ targets: { ...NOTHING, commands } })).not.toContain("ghp_a1");
  });

  it("is one line that cannot act on a terminal, however long the request is", () => {
    const name = `/w/\n\u001B[2J\u202E${"x".repeat(100_000)}`;
    const commands = [
      { line: "y".repeat(10_000_000), words: undefined, cwd: path("/w"), env: {} },
      {
        words: Array.from({ length: 10_000 }, () => "z"),
        line: undefined,
        cwd: path("/w"),
        env: {},
      },
    ];
    const text = line({ targets: { paths: [path(name)], commands, isComplete: true } });
    for (const character of "\n\u001B\u202E") expect(text).not.toContain(character);
    expect(text.length).toBeLessThan(10_000);
    expect(JSON.parse(text).targets.paths[0]).toContain("/w/\n\u001B[2J\u202Exxx");
  });
});

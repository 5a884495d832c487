import { describe, expect, it } from "vitest";
import type { ToolKind } from "../../../../src/protocol/acp/index.ts";
import {
  decideByFlags,
  type PermissionPolicy,
} from "../../../../src/apps/cli/permissions/policy.ts";
import { parseRules } from "../../../../src/client/rules/rules.ts";
import { query } from "../../../client/rules/query-builder.ts";

const base = { cwd: "/w", home: "/h", ignoreCase: false, resolveLinks: (path: string) => path };
const rules = (...list: unknown[]) =>
  parseRules(JSON.stringify({ version: 1, rules: list }), "r.json", base);

describe("a decision", () => {
  const policy = (rest: Partial<PermissionPolicy> = {}): PermissionPolicy => ({
    grants: { write: false, exec: false, yolo: false },
    rules: [],
    canAsk: false,
    ...rest,
  });
  const grants = (given: object) =>
    policy({ grants: { write: false, exec: false, yolo: false, ...given } });
  const kinds: ToolKind[] = [
    "read",
    "search",
    "think",
    "edit",
    "delete",
    "move",
    "execute",
    "fetch",
    "switch_mode",
    "other",
  ];
  const table = (with_: PermissionPolicy) =>
    Object.fromEntries(kinds.map((kind) => [kind, decideByFlags(query(kind), with_).decision]));
  const all = (decision: string) => Object.fromEntries(kinds.map((kind) => [kind, decision]));
  const reads = { ...all("deny"), read: "allow", search: "allow", think: "allow" };

  it("without a terminal allows only reading", () => {
    expect(table(policy())).toEqual(reads);
  });
  it("allows writing with --write", () => {
    expect(table(grants({ write: true }))).toEqual({
      ...reads,
      edit: "allow",
      delete: "allow",
      move: "allow",
    });
  });
  it("allows commands with --exec", () => {
    expect(table(grants({ exec: true }))).toEqual({ ...reads, execute: "allow" });
  });
  it("allows everything with --yolo", () => {
    expect(table(grants({ yolo: true }))).toEqual(all("allow"));
  });
  it("is left to the user if the user can be asked", () => {
    expect(table(policy({ canAsk: true }))).toEqual(all("ask"));
  });
  it("follows a rule before any flag", () => {
    const some = { ...grants({ yolo: true }), rules: rules({ decision: "deny", kind: "edit" }) };
    expect(decideByFlags(query("edit"), some)).toEqual({
      decision: "deny",
      by: "rule",
      hint: "rule 1 of --permissions denies it",
    });
    expect(decideByFlags(query("delete"), some).decision).toBe("allow");
  });
  it("denies if a rule requires asking but asking is not possible", () => {
    const some = policy({ rules: rules({ decision: "ask", kind: "read" }) });
    expect(decideByFlags(query("read"), some)).toMatchObject({
      decision: "deny",
      hint: "rule 1 of --permissions requires asking, which is not possible here",
    });
    expect(decideByFlags(query("read"), { ...some, canAsk: true }).decision).toBe("ask");
  });
  it.each([
    ["read", {}, "deny"],
    ["edit", { write: true }, "deny"],
    ["execute", { exec: true }, "deny"],
    ["edit", { yolo: true }, "allow"],
  ] as const)("about %s outside the workspace with the flags %j is %s", (kind, flags, decision) => {
    const outside = query(kind, { paths: ["/etc/shadow"] });
    expect(decideByFlags(outside, grants(flags))).toMatchObject({
      decision,
      hint: decision === "deny" ? "--yolo" : undefined,
    });
    expect(decideByFlags(outside, { ...policy(), canAsk: true }).decision).toBe("ask");
    const named = policy({ rules: rules({ decision: "allow", path: "/etc/shadow" }) });
    expect(decideByFlags(outside, named).decision).toBe("allow");
  });
  it.each([
    ["edit", "--write"],
    ["execute", "--exec"],
    ["fetch", "--yolo"],
    ["other", "--yolo"],
  ] as const)("that denies %s names %s", (kind, flag) => {
    expect(decideByFlags(query(kind), policy()).hint).toBe(flag);
  });
});

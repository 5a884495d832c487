import { describe, expect, it } from "vitest";
import type { ToolKind } from "../../../src/acp/index.ts";
import { globTest } from "../../../src/cli/permissions/glob.ts";
import {
  decide,
  describeQuery,
  type PermissionPolicy,
} from "../../../src/cli/permissions/policy.ts";
import { targetsOf } from "../../../src/client/gate/permissions/targets.ts";
import { queryOf, type Query } from "../../../src/cli/permissions/query.ts";
import { applyRules, parseRules, wordsOf } from "../../../src/cli/permissions/rules.ts";

const base = { cwd: "/w", home: "/h", ignoreCase: false };
const rules = (...list: unknown[]) =>
  parseRules(JSON.stringify({ version: 1, rules: list }), "r.json", base);
const query = (kind: ToolKind, rest: Partial<Query> = {}): Query => ({
  kind,
  paths: [],
  command: undefined,
  ...rest,
});

describe("a path pattern", () => {
  it.each([
    ["/w/src/**", "/w/src/a/b.ts", true],
    ["/w/src/**", "/w/src", true],
    ["/w/src/**", "/w/srcs/a", false],
    ["/w/*.ts", "/w/a.ts", true],
    ["/w/*.ts", "/w/a/b.ts", false],
    ["/w/**/*.ts", "/w/a.ts", true],
    ["/w/**/*.ts", "/w/a/b/c.ts", true],
    ["/w/?.ts", "/w/ab.ts", false],
    ["/w/{a,b}.ts", "/w/b.ts", true],
    ["/w/a+b(c).ts", "/w/a+b(c).ts", true],
    ["/w/a.ts", "/w/axts", false],
    ["/w/docs/", "/w/docs/x", true],
    ["/a-b c/[x]/**", "/a-b c/[x]/y", true],
  ])("%s on %s", (pattern, path, expected) => {
    expect(globTest(pattern)(path)).toBe(expected);
  });
  it("may ignore case", () => {
    expect(globTest("/w/Secret/**", true)("/W/secret/x")).toBe(true);
  });
});

describe("the words of a command", () => {
  it.each([
    ["npm test", ["npm", "test"]],
    ["git commit -m 'a b'", ["git", "commit", "-m", "a b"]],
    [
      ["npm", "test"],
      ["npm", "test"],
    ],
  ])("%j", (command, words) => {
    expect(wordsOf(command)).toEqual(words);
  });
  it.each([
    "npm test; rm -rf x",
    "npm test && x",
    "npm test & x",
    "npm test | sh",
    "npm test > f",
    "npm test < f",
    "npm test $(x)",
    "npm test `x`",
    "npm test $HOME",
    "npm test\nrm x",
    "npm test 'open",
    "(npm test)",
    "{ npm test",
    ["npm", "test; rm"],
  ])("%j is more than one simple command", (command) => {
    expect(wordsOf(command)).toBeUndefined();
  });
});

describe("rules", () => {
  const list = rules(
    { decision: "deny", path: "secret/**" },
    { decision: "allow", kind: ["edit", "move"], path: "src/**" },
    { decision: "allow", kind: "execute", command: "npm test" },
    { decision: "ask", kind: "execute" },
    { decision: "allow", kind: "read" },
  );
  it.each<[string, Query, string | undefined]>([
    ["the first that matches decides", query("edit", { paths: ["/w/src/a.ts"] }), "allow"],
    [
      "all paths must be inside to allow",
      query("edit", { paths: ["/w/src/a", "/w/b"] }),
      undefined,
    ],
    ["one path is enough to deny", query("edit", { paths: ["/w/src/a", "/w/secret/b"] }), "deny"],
    ["a command by its first words", query("execute", { command: "npm test -- x" }), "allow"],
    ["words, not letters", query("execute", { command: "npm tests" }), "ask"],
    ["never a line with operators", query("execute", { command: "npm test; rm -rf ~" }), "ask"],
    ["a list of words", query("execute", { command: ["npm", "test"] }), "allow"],
    ["no command known", query("execute"), "ask"],
    ["no rule", query("fetch", { paths: ["/w/x"] }), undefined],
    ["an allowance after a denial that cannot be judged is asked about", query("read"), "ask"],
    ["an allowance with known paths", query("read", { paths: ["/w/x"] }), "allow"],
  ])("%s", (_name, asked, decision) => {
    expect(applyRules(list, asked)?.decision).toBe(decision);
  });

  it("that deny a command make lines with operators doubtful", () => {
    const some = rules({ decision: "deny", command: "rm" }, { decision: "allow", kind: "execute" });
    const run = (command: string) => applyRules(some, query("execute", { command }))?.decision;
    expect([run("rm -rf x"), run("ls"), run("ls; rm -rf x")]).toEqual(["deny", "allow", "ask"]);
  });

  it.each([
    ["{", "r.json is not valid JSON"],
    ["[]", "r.json must be an object"],
    ["{}", "r.json: version must be 1"],
    ['{"version":1}', "r.json: rules must be an array"],
    ['{"version":1,"rules":[1]}', "r.json: rules[0] must be an object"],
    ['{"version":1,"rules":[{}]}', "rules[0].decision must be"],
    ['{"version":1,"rules":[{"decision":"allow","kinds":"edit"}]}', "rules[0].kinds is not one of"],
    ['{"version":1,"rules":[{"decision":"allow","kind":"write"}]}', "which is no tool kind"],
    ['{"version":1,"rules":[{"decision":"allow","kind":[]}]}', "rules[0].kind is empty"],
    ['{"version":1,"rules":[{"decision":"allow","path":""}]}', "rules[0].path must be"],
    ['{"version":1,"rules":[{"decision":"allow","command":"a|b"}]}', "rules[0].command must be"],
  ])("%j are refused by their field", (text, message) => {
    expect(() => parseRules(text, "r.json", base)).toThrow(message);
  });
});

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
    Object.fromEntries(kinds.map((kind) => [kind, decide(query(kind), with_).decision]));
  const all = (decision: string) => Object.fromEntries(kinds.map((kind) => [kind, decision]));
  const reads = { ...all("deny"), read: "allow", search: "allow", think: "allow" };

  it("without a terminal allows reading only", () => {
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
  it("allows all with --yolo", () => {
    expect(table(grants({ yolo: true }))).toEqual(all("allow"));
  });
  it("is a person's where there is one", () => {
    expect(table(policy({ canAsk: true }))).toEqual(all("ask"));
  });
  it("is a rule's before any flag's", () => {
    const some = { ...grants({ yolo: true }), rules: rules({ decision: "deny", kind: "edit" }) };
    expect(decide(query("edit"), some)).toEqual({
      decision: "deny",
      by: "rule",
      hint: "rule 1 of --permissions decided",
    });
    expect(decide(query("delete"), some).decision).toBe("allow");
  });
  it("of a rule to ask is a refusal where nobody can be asked", () => {
    const some = policy({ rules: rules({ decision: "ask", kind: "read" }) });
    expect(decide(query("read"), some)).toMatchObject({
      decision: "deny",
      hint: "nobody could be asked, as rule 1 of --permissions wants",
    });
    expect(decide(query("read"), { ...some, canAsk: true }).decision).toBe("ask");
  });
  it.each([
    ["edit", "--write"],
    ["execute", "--exec"],
    ["fetch", "--yolo"],
    ["other", "--yolo"],
  ] as const)("to refuse %s names %s", (kind, flag) => {
    expect(decide(query(kind), policy()).hint).toBe(flag);
  });
});

describe("what is asked for", () => {
  it("comes from fields, never from titles", () => {
    const call = {
      title: "cat README",
      content: [{ type: "diff" as const, path: "a.txt", newText: "x" }],
      locations: [{ path: "/w/../x" }],
      rawInput: { command: "rm -rf /" },
    };
    const targets = targetsOf(call, "/w");
    expect(queryOf({ kind: "other", targets })).toEqual({
      kind: "other",
      paths: ["/w/a.txt", "/x"],
      command: undefined,
    });
    expect(queryOf({ kind: "execute", targets }).command).toBe("rm -rf /");
  });
  it.each([
    [{ command: "ls" }, "ls"],
    [{ cmd: ["ls", "-l"] }, ["ls", "-l"]],
    [{ command: "ls", args: ["-l"] }, ["ls", "-l"]],
    [{ command: "" }, undefined],
    [{ command: 1 }, undefined],
    ["ls", undefined],
  ])("%j holds the command %j", (input, command) => {
    const targets = targetsOf({ content: [], locations: [], rawInput: input }, "/w");
    expect(queryOf({ kind: "execute", targets }).command).toEqual(command);
  });
  it("is said in a few words", () => {
    expect(describeQuery(query("execute", { command: ["ls", "a b"] }))).toBe('run ls "a b"');
    expect(describeQuery(query("edit", { paths: ["/a", "/b"] }))).toBe("edit /a and 1 more");
    expect(describeQuery(query("fetch"))).toBe("fetch");
  });
});

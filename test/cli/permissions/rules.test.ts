import { describe, expect, it } from "vitest";
import type { ToolKind } from "../../../src/acp/index.ts";
import type { Query } from "../../../src/cli/permissions/rule-query.ts";
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

describe("the words of a command", () => {
  it.each([
    ["npm test", ["npm", "test"]],
    ["git commit -m 'a b'", ["git", "commit", "-m", "a b"]],
    [
      ["npm", "test"],
      ["npm", "test"],
    ],
  ])("%j are %j", (command, words) => {
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
  ])("%j are undefined: it is not a simple command", (command) => {
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
    ["the first match decides", query("edit", { paths: ["/w/src/a.ts"] }), "allow"],
    [
      "an allow rule needs all paths to match",
      query("edit", { paths: ["/w/src/a", "/w/b"] }),
      undefined,
    ],
    [
      "a deny rule needs one path to match",
      query("edit", { paths: ["/w/src/a", "/w/secret/b"] }),
      "deny",
    ],
    [
      "a command matches by its first words",
      query("execute", { command: "npm test -- x" }),
      "allow",
    ],
    ["a command matches whole words", query("execute", { command: "npm tests" }), "ask"],
    [
      "a command with operators matches no allow rule",
      query("execute", { command: "npm test; rm -rf ~" }),
      "ask",
    ],
    ["a command may be a list of words", query("execute", { command: ["npm", "test"] }), "allow"],
    ["an unknown command matches no allow rule", query("execute"), "ask"],
    ["no decision without a matching rule", query("fetch", { paths: ["/w/x"] }), undefined],
    ["an allow rule asks after a deny rule that cannot be judged", query("read"), "ask"],
    ["an allow rule allows if the paths are known", query("read", { paths: ["/w/x"] }), "allow"],
  ])("%s", (_name, asked, decision) => {
    expect(applyRules(list, asked)?.decision).toBe(decision);
  });

  it("ask about a command with operators after a deny rule for a command", () => {
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
    ['{"version":1,"rules":[{"decision":"allow","kind":"write"}]}', "which is not a tool kind"],
    ['{"version":1,"rules":[{"decision":"allow","kind":[]}]}', "rules[0].kind is empty"],
    ['{"version":1,"rules":[{"decision":"allow","path":""}]}', "rules[0].path must be"],
    ['{"version":1,"rules":[{"decision":"allow","command":"a|b"}]}', "rules[0].command must be"],
  ])("of %j are invalid, and the error names the field", (text, message) => {
    expect(() => parseRules(text, "r.json", base)).toThrow(message);
  });
});

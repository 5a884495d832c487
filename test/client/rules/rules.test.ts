import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  applyRules,
  describeRuleQuery,
  parseRules,
  type RuleQuery,
  queryOf,
  readRules,
  RulesError,
  simpleCommandWords,
} from "../../../src/client/rules/rules.ts";
import { query, target } from "./query-builder.ts";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePattern, PatternError } from "../../../src/client/rules/glob.ts";

const base = { cwd: "/w", home: "/h", ignoreCase: false, resolveLinks: (path: string) => path };
const rules = (...list: unknown[]) =>
  parseRules(JSON.stringify({ version: 1, rules: list }), "r.json", base);

describe("the words of a command", () => {
  it.each([
    ["npm test", ["npm", "test"]],
    ["git commit -m 'a b'", ["git", "commit", "-m", "a b"]],
    [
      ["npm", "test"],
      ["npm", "test"],
    ],
  ])("%j are %j", (command, words) => {
    expect(simpleCommandWords(command)).toEqual(words);
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
    expect(simpleCommandWords(command)).toBeUndefined();
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
  it.each<[string, RuleQuery, string | undefined]>([
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

  it("judge a path by its real place, so that a link bypasses neither deny nor allow", () => {
    const some = rules(
      { decision: "deny", path: "secrets/**" },
      { decision: "allow", kind: "edit", path: "src/**" },
    );
    const edit = (path: string, realPath?: string) =>
      applyRules(some, query("edit", { paths: [target(path, realPath)] }))?.decision;
    expect(edit("/w/src/a")).toBe("allow");
    expect(edit("/w/src/x/key", "/w/secrets/key")).toBe("deny");
    expect(edit("/w/secrets/link", "/w/src/a")).toBe("deny");
    expect(edit("/w/src/out", "/etc/passwd")).toBeUndefined();
    const unknown = { path: "/w/src/loop", realPath: undefined, isInside: false };
    expect(applyRules(some, query("edit", { paths: [unknown] }))).toBeUndefined();
  });

  it("resolve the links of the folders that a pattern names", () => {
    const linked = {
      ...base,
      resolveLinks: (path: string) => path.replace(/^\/w\/lib(?=\/|$)/, "/shared/lib"),
    };
    const text = JSON.stringify({ version: 1, rules: [{ decision: "allow", path: "lib/*.ts" }] });
    const [rule] = parseRules(text, "r.json", linked);
    expect(rule?.matchesPath?.(target("/w/lib/a.ts", "/shared/lib/a.ts"))).toBe(true);
    expect(rule?.matchesPath?.(target("/w/lib/a.ts", "/w/lib/a.ts"))).toBe(false);
  });

  it("deny and ask about everything below a path, but allow only the path itself", () => {
    const decided = (decision: string) =>
      applyRules(rules({ decision, path: "secrets" }), query("read", { paths: ["/w/secrets/a/b"] }))
        ?.decision;
    expect(["deny", "ask", "allow"].map(decided)).toEqual(["deny", "ask", undefined]);
  });

  it("never allow a command whose variables can change what it runs", () => {
    const some = rules(
      { decision: "allow", command: "git status" },
      { decision: "deny", command: "git push" },
    );
    const run = (command: string, isCommandChanged: boolean) =>
      applyRules(some, query("execute", { command, isCommandChanged }))?.decision;
    expect(run("git status", false)).toBe("allow");
    expect(run("git status", true)).toBeUndefined();
    expect(run("git push", true)).toBe("deny");
  });

  it("never allow a request that names more paths than are known", () => {
    const paths = ["/w/src/a"];
    const allow = rules({ decision: "allow", path: "src/**" });
    expect(applyRules(allow, query("edit", { paths, isComplete: false }))).toBeUndefined();
    const deny = rules({ decision: "deny", path: "secrets" }, { decision: "allow", kind: "edit" });
    expect(applyRules(deny, query("edit", { paths, isComplete: false }))?.decision).toBe("ask");
  });

  it.each(["[ab]", "!x", "a\\b", "**x", "*/../y"])("reject the pattern %s", (path) => {
    expect(() => rules({ decision: "deny", path })).toThrow("r.json: rules[0].path: ");
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

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "rules-")));
  await mkdir(join(folder, "real"));
  await symlink("real", join(folder, "link"));
});
afterAll(() => rm(folder, { recursive: true }));

const TEXT = JSON.stringify({ version: 1, rules: [{ decision: "allow", path: "src/**" }] });
const user = (platform: NodeJS.Platform = "linux") => ({ home: folder, platform });

describe("a rules file", () => {
  it("starts relative patterns in the folder of each session", () => {
    const file = readRules(TEXT, "r.json", user());
    const decides = (cwd: string, path: string): unknown =>
      applyRules(file.forFolder(cwd), query("edit", { paths: [path] }))?.decision;
    expect(decides("/a", "/a/src/x")).toBe("allow");
    expect(decides("/a", "/b/src/x")).toBeUndefined();
    expect(decides("/b", "/b/src/x")).toBe("allow");
  });
  it("resolves links in the folder, even if the pattern names a file that is missing", () => {
    const rules = readRules(TEXT, "r.json", user()).forFolder(join(folder, "link"));
    const paths = [join(folder, "real/src/new/x")];
    expect(applyRules(rules, query("edit", { paths }))?.decision).toBe("allow");
  });
  it.each([
    ["linux", undefined],
    ["darwin", "allow"],
    ["win32", "allow"],
  ] as const)("on %s decides %s about a path in other letters", (platform, decision) => {
    const rules = readRules(TEXT, "r.json", user(platform)).forFolder("/a");
    const paths = ["/a/SRC/x"];
    expect(applyRules(rules, query("edit", { paths }))?.decision).toBe(decision);
  });
  it("with a mistake is refused before there is a session", () => {
    expect(() => readRules('{"version":2}', "r.json", user())).toThrow(
      new RulesError("r.json: version must be 1"),
    );
  });
});

const command = { line: "ls", words: undefined, cwd: target("/w"), env: {} };

describe("the query for a request", () => {
  it("has the command only if the request executes something", () => {
    const targets = { paths: [target("/w/a")], commands: [command], isComplete: true };
    expect(queryOf({ kind: "other", targets })).toMatchObject({
      paths: [target("/w/a")],
      command: undefined,
    });
    expect(queryOf({ kind: "execute", targets }).command).toBe("ls");
  });
  it.each([
    [{ BASH_ENV: "x" }, true],
    [{ GIT_CONFIG_COUNT: "1" }, true],
    [{ PATH: "." }, true],
    [{ NO_COLOR: "1", LANG: "C" }, false],
  ])("with the variables %j says whether they can change the command: %s", (env, isChanged) => {
    const targets = { paths: [], commands: [{ ...command, env }], isComplete: true };
    expect(queryOf({ kind: "execute", targets }).isCommandChanged).toBe(isChanged);
  });
  it("is outside if a path or the folder of a command is", () => {
    const inside = (paths: string[], cwd: string) =>
      queryOf({
        kind: "execute",
        targets: {
          paths: paths.map((path) => target(path)),
          commands: [{ ...command, cwd: target(cwd) }],
          isComplete: true,
        },
      }).isInside;
    expect(inside(["/w/a"], "/w")).toBe(true);
    expect(inside(["/w/a", "/etc"], "/w")).toBe(false);
    expect(inside([], "/tmp")).toBe(false);
  });
});

it("describeRuleQuery describes a request in a few words", () => {
  expect(describeRuleQuery(query("execute", { command: ["ls", "a b"] }))).toBe('run ls "a b"');
  expect(describeRuleQuery(query("edit", { paths: ["/a", "/b"] }))).toBe("edit /a and 1 more");
  expect(describeRuleQuery(query("fetch"))).toBe("fetch");
});

const exact = { ignoreCase: false, withBelow: false };

describe("a path pattern", () => {
  it.each([
    ["src/**", "/w/src/a/b.ts", true],
    ["src/**", "/w/src", true],
    ["src/**", "/w/srcs/a", false],
    ["*.ts", "/w/a.ts", true],
    ["*.ts", "/w/a/b.ts", false],
    ["**/*.ts", "/w/a.ts", true],
    ["**/*.ts", "/w/a/b/c.ts", true],
    ["**/a/**/b", "/w/x/a/y/z/b", true],
    ["?.ts", "/w/ab.ts", false],
    ["?.ts", "/w/é.ts", true],
    ["{a,b}.ts", "/w/b.ts", true],
    ["{a,b}/{c,d}", "/w/b/c", true],
    ["a+b(c).ts", "/w/a+b(c).ts", true],
    ["a.ts", "/w/axts", false],
    ["docs/", "/w/docs/x", true],
    ["./x", "/w/x", true],
    ["a/../b", "/w/b", true],
    ["../other/**", "/other/x", true],
    ["*a*b*", "/w/xaxbx", true],
    ["*a*b*", "/w/xbxa", false],
  ])("%s below /w tested with %s is %s", (pattern, path, expected) => {
    expect(compilePattern("/w", pattern, exact)(path)).toBe(expected);
  });

  it("takes its base literally", () => {
    const matches = compilePattern("/a-b c/[x]{y}", "**", exact);
    expect(matches("/a-b c/[x]{y}/z")).toBe(true);
    expect(matches("/a-b c/xy/z")).toBe(false);
  });
  it("can ignore case", () => {
    const matches = compilePattern("/w", "Secret/**", { ...exact, ignoreCase: true });
    expect(matches("/W/secret/x")).toBe(true);
  });
  it("can match everything below the paths it names", () => {
    const matches = compilePattern("/w", "secrets", { ...exact, withBelow: true });
    expect(["/w/secrets", "/w/secrets/a/b", "/w/secrets2"].map(matches)).toEqual([
      true,
      true,
      false,
    ]);
  });
  it.each([
    ["[ab]", "[...]"],
    ["!x", "a leading !"],
    ["+(a|b)", "(...) after a wildcard"],
    ["a\\*", "a backslash"],
    ["src/**.ts", "** must stand alone"],
    ["*/../x", ".. after a wildcard"],
    ["{a", "{...} must be closed"],
    ["{a,{b,c}}", "{...} must be closed"],
    ["a}", "} without {"],
    ["{1,2,3,4,5}{1,2,3,4,5}{1,2,3,4,5}", "more than 100 alternatives"],
  ])("%s is rejected because of %s", (pattern, reason) => {
    expect(() => compilePattern("/w", pattern, exact)).toThrow(PatternError);
    expect(() => compilePattern("/w", pattern, exact)).toThrow(reason);
  });
  it("with sixty wildcards is matched without backtracking", () => {
    const matches = compilePattern("/w", `${"*a".repeat(60)}b`, exact);
    expect(matches(`/w/${"a".repeat(5000)}`)).toBe(false);
    const folders = compilePattern("/w", `${"**/a/".repeat(60)}b`, exact);
    expect(folders(`/w/${"a/".repeat(2000)}`)).toBe(false);
  });
});

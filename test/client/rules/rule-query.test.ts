import { describe, expect, it } from "vitest";
import { describeQuery, queryOf } from "../../../src/client/rules/rule-query.ts";
import { query, target } from "./query-builder.ts";

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

it("describeQuery describes a request in a few words", () => {
  expect(describeQuery(query("execute", { command: ["ls", "a b"] }))).toBe('run ls "a b"');
  expect(describeQuery(query("edit", { paths: ["/a", "/b"] }))).toBe("edit /a and 1 more");
  expect(describeQuery(query("fetch"))).toBe("fetch");
});

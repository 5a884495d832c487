import { describe, expect, it } from "vitest";
import { queryOf } from "../../../src/cli/permissions/rule-query.ts";
import { targetsOf } from "../../../src/client/gate/permissions/targets.ts";

describe("the query for a request", () => {
  it("comes from fields, never from the title", () => {
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
  ])("for the input %j has the command %j", (input, command) => {
    const targets = targetsOf({ content: [], locations: [], rawInput: input }, "/w");
    expect(queryOf({ kind: "execute", targets }).command).toEqual(command);
  });
});

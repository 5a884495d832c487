import { describe, expect, it } from "vitest";
import { parseFilter } from "../../../../src/apps/inspector/search/filter.ts";
import { filterFrames, searchFrames } from "../../../../src/apps/inspector/search/search.ts";
import { Script } from "../sessions.ts";

const script = new Script().open().prompt(2, "Find the café");
script.say("a long answer").wait(300);
script.update("tool_call", { toolCallId: "t", title: "Edit main.ts", kind: "edit" });
script.done(2);
const { model } = script;
const find = (text: string) => filterFrames(model, parseFilter(text));

describe("a search", () => {
  it.each([
    ["", [0, 1, 2, 3, 4, 5, 6, 7]],
    ["café", [4]],
    ["LONG answer", [5]],
    ["-session/update -initialize", [1, 2, 3, 4, 7]],
    ["/main\\.ts/", [6]],
    ["method:prompt", [4, 7]],
    ["kind:request", [0, 2, 4]],
    ["kind:tool_call", [6]],
    ["dir:out", [0, 2, 4]],
    ["dir:agent kind:response", [1, 3, 7]],
    ["session:1 -kind:notification", [2, 3, 4, 7]],
    ["session:s turn:1", [4, 5, 6, 7]],
    ["tool:edit", [6]],
    ["id:2", [4, 7]],
    ["ms:>=300", [4, 7]],
    ["size:>100 dir:in", [5, 6]],
    ["bad:", [5]],
    ["bad:order -bad:schema", [5]],
    ["bad:schema", []],
    ["nothing like this", []],
  ])("for %j finds %j", (text, rows) => {
    const rulesOf = (row: number) => (row === 5 ? ["ORDER-1"] : []);
    expect(filterFrames(model, parseFilter(text), rulesOf)).toEqual(rows);
  });

  it("goes through the lines in slices and finds each match once", () => {
    const long = new Script().open();
    for (let count = 0; count < 40; count++) long.say(`${"x".repeat(100_000)} needle${count % 10}`);
    const slices = [...searchFrames(long.model, parseFilter("needle3"))];
    expect(slices.length).toBeGreaterThan(3);
    expect(slices.flat()).toEqual([7, 17, 27, 37]);
  });

  it("finds nothing in an empty session", () => {
    expect(filterFrames(new Script().model, parseFilter("x"))).toEqual([]);
    expect(find("jsonrpc")).toHaveLength(8);
  });
});

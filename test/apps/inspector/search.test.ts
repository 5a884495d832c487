import { describe, expect, it } from "vitest";
import {
  parseFilter,
  filterFrames,
  searchFrames,
  filterPattern,
} from "../../../src/apps/inspector/frame-search.ts";
import { Script } from "./sessions.ts";

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

describe("a filter", () => {
  it.each([
    ["", []],
    ["  ", []],
    ["word", [{ type: "text", isExcluded: false }]],
    ["-word", [{ type: "text", isExcluded: true }]],
    ["method:Prompt", [{ type: "method", value: "prompt", isExcluded: false }]],
    [
      "-kind:error dir:in",
      [
        { type: "kind", isExcluded: true },
        { type: "dir", value: "in" },
      ],
    ],
    ['tool:"Edit file"', [{ type: "tool", value: "edit file" }]],
    ["size:>1k", [{ type: "size", test: { op: ">", value: 1000 } }]],
    ["size:<=1.5MB", [{ type: "size", test: { op: "<=", value: 1_500_000 } }]],
    ["ms:>2s", [{ type: "ms", test: { op: ">", value: 2000 } }]],
    ["ms:100", [{ type: "ms", test: { op: ">=", value: 100 } }]],
    ["bad:", [{ type: "bad", value: "" }]],
    ["bad:ACP-INIT", [{ type: "bad", value: "acp-init" }]],
    [
      "session:2 turn:1 id:7 lane:x",
      [{ value: "2" }, { value: "1" }, { value: "7" }, { value: "x" }],
    ],
    ["/a b.c/", [{ type: "text", pattern: /a b.c/i }]],
    ["-/A/s", [{ type: "text", pattern: /A/s, isExcluded: true }]],
    ["method:", []],
    ["http://x", [{ type: "text", pattern: /http:\/\/x/i }]],
    ['"a b"', [{ type: "text", pattern: /a b/i }]],
  ])("%j is understood", (text, terms) => {
    const { terms: found, faults } = parseFilter(text);
    expect(found).toMatchObject(terms);
    expect(found).toHaveLength(terms.length);
    expect(faults).toEqual([]);
  });

  it.each([
    ["/(/", "/(/ is not a regular expression"],
    ["size:big", "size:big needs a number, such as size:>100"],
    ["ms:>", "ms:> needs a number, such as ms:>100"],
  ])("%j has a fault, and the rest is used", (text, fault) => {
    const { terms, faults } = parseFilter(`${text} word`);
    expect(faults).toEqual([fault]);
    expect(terms).toHaveLength(1);
  });
});

describe("a word", () => {
  it.each([
    ["Hello", '"text":"hello"'],
    ['say "x"', String.raw`"say \"x\""`],
    ["é", String.raw`"caf\u00e9"`],
    ["é", String.raw`"caf\u00E9"`],
    ["😀", String.raw`"\ud83d\ude00"`],
    ["a.b", "a.b"],
    [String.raw`C:\dir`, String.raw`"C:\\dir"`],
  ])("%j is found in %j", (word, line) => {
    expect(filterPattern(word).test(line)).toBe(true);
  });

  it("is not a pattern", () => {
    expect(filterPattern("a.b").test("axb")).toBe(false);
    expect(filterPattern("(").test("x")).toBe(false);
  });
});

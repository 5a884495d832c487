import { describe, expect, it } from "vitest";
import {
  liveContent,
  toolOutcome,
  verbatim,
  textContent,
} from "../../../../src/apps/droid-acp/translate/tool-results.ts";
import { specPlanUpdates, toPlan } from "../../../../src/apps/droid-acp/translate/plans.ts";

describe("the content of a tool call", () => {
  it.each([
    [
      "Execute",
      "out\n\n\n[Process exited with code 0]",
      false,
      "completed 0",
      ["```console\nout\n```"],
    ],
    [
      "Execute",
      "Error: Command failed (exit code: 2)\noops\n\n\n[Process exited with code 2]",
      true,
      "failed 2",
      ["```console\noops\n```"],
    ],
    ["Execute", "x\n[Process exited with code 7]", false, "failed 7", ["```console\nx\n```"]],
    ["Execute", "\n\n[Process exited with code 0]", false, "completed 0", []],
    ["Read", "line", false, "completed", ["```\nline\n```"]],
    ["Read", "no such file", true, "failed", ["no such file"]],
    ["Create", '{"success":true}', false, "completed", []],
    ["Edit", "no match", true, "failed", ["no match"]],
    ["Nope", "Unknown tool: Nope", false, "failed", ["Unknown tool: Nope"]],
    ["ExitSpecMode", '{"approved":true,"message":"Go"}', false, "completed", ["the plan", "Go"]],
    ["ExitSpecMode", "Error: cancelled", true, "failed", ["the plan", "Error: cancelled"]],
    ["tiny___ping", "pong", false, "completed", ["pong"]],
    ["tiny___ping", "", false, "completed", []],
  ] as const)("shows the outcome of %s with the result %j", (name, result, isError, end, texts) => {
    const { status, exitCode, content } = toolOutcome(
      name,
      { plan: "the plan" },
      { content: result, isError },
    );
    expect(exitCode === undefined ? status : `${status} ${exitCode}`).toBe(end);
    expect(content).toEqual(texts.map(textContent));
  });

  it("uses a longer fence around text that contains fences", () => {
    expect(verbatim("a\n```\nb\n````")).toEqual(textContent("`````\na\n```\nb\n````\n`````"));
  });

  it("shows the end of long output, starting at a whole line", () => {
    const [content] = liveContent(`${"x".repeat(20_000)}\nlast\n`);
    expect(JSON.stringify(content)).toContain("…\\nlast\\n```");
    expect(liveContent("\n \n")).toEqual([]);
  });
});

describe("a plan entry", () => {
  it.each([
    ["in_progress", undefined, "in_progress", "medium"],
    ["Done", "high", "completed", "high"],
    ["whatever", "odd", "pending", "medium"],
  ])(
    "with status %s and priority %s becomes %s and %s",
    (status, priority, toStatus, toPriority) => {
      expect(toPlan([{ text: "t", status, priority }])).toEqual([
        { content: "t", status: toStatus, priority: toPriority },
      ]);
    },
  );
});

describe("the plan of spec mode", () => {
  it("is a Markdown plan that the next one replaces", () => {
    const plan = { type: "markdown", planId: "spec", content: "# P" };
    expect(specPlanUpdates({ title: "T", plan: "# P" })).toEqual([
      { sessionUpdate: "plan_update", plan },
    ]);
  });

  it.each([{}, { plan: "" }, { plan: " \n" }, { plan: null }, { plan: 1 }])(
    "is absent from the input %j",
    (input) => expect(specPlanUpdates(input)).toEqual([]),
  );
});

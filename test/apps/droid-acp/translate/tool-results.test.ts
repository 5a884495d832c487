import { describe, expect, it } from "vitest";
import {
  liveContent,
  toolOutcome,
  verbatim,
  specPlanUpdates,
  toPlan,
} from "../../../../src/apps/droid-acp/translate/tool-results.ts";

describe("the content of a tool call", () => {
  it.each([
    [
      "Execute",
      "out\n\n\n[Process exited with code 0]",
      false,
      "completed",
      ["```console\nout\n```"],
      0,
    ],
    [
      "Execute",
      "Error: Command failed (exit code: 2)\noops\n\n\n[Process exited with code 2]",
      true,
      "failed",
      ["```console\noops\n```"],
      2,
    ],
    ["Execute", "x\n[Process exited with code 7]", false, "failed", ["```console\nx\n```"], 7],
    ["Execute", "\n\n[Process exited with code 0]", false, "completed", [], 0],
    ["Read", "line", false, "completed", ["```\nline\n```"], undefined],
    ["Read", "no such file", true, "failed", ["no such file"], undefined],
    ["Create", '{"success":true}', false, "completed", [], undefined],
    ["Edit", "no match", true, "failed", ["no match"], undefined],
    ["Nope", "Unknown tool: Nope", false, "failed", ["Unknown tool: Nope"], undefined],
    [
      "ExitSpecMode",
      '{"approved":true,"message":"Go"}',
      false,
      "completed",
      ["the plan", "Go"],
      undefined,
    ],
    [
      "ExitSpecMode",
      "Error: cancelled",
      true,
      "failed",
      ["the plan", "Error: cancelled"],
      undefined,
    ],
    ["tiny___ping", "pong", false, "completed", ["pong"], undefined],
    ["tiny___ping", "", false, "completed", [], undefined],
  ] as const)(
    "shows the outcome of %s with the result %j",
    (name, content, isError, status, texts, exitCode) => {
      const outcome = toolOutcome(name, { plan: "the plan" }, { content, isError });
      expect(outcome.status).toBe(status);
      expect(outcome.exitCode).toBe(exitCode);
      expect(outcome.content).toEqual(
        texts.map((text) => ({ type: "content", content: { type: "text", text } })),
      );
    },
  );

  it("uses a longer fence around text that contains fences", () => {
    expect(verbatim("a\n```\nb\n````")).toEqual({
      type: "content",
      content: { type: "text", text: "`````\na\n```\nb\n````\n`````" },
    });
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

import { describe, expect, it } from "vitest";
import {
  activityAfter,
  subagentDetails,
} from "../../../../src/apps/droid-acp/translate/subagents.ts";

const running = { state: { state: "running" } };

describe("a sub-agent of Droid", () => {
  it.each([
    [
      { subagent_type: "worker", description: "Count", prompt: "p" },
      { title: "Count", description: "worker", ...running },
    ],
    [{ subagent_type: "worker" }, { title: "worker", description: "worker", ...running }],
    [{ description: "a\nb" }, { title: "a …", ...running }],
    [{ subagent_type: null, description: 1 }, running],
    [{}, running],
  ])("started with %j is described as %j", (input, details) => {
    expect(subagentDetails(input)).toEqual(details);
  });

  const ended = { input: {}, content: "text", isError: false, background: false };
  const done = { state: "idle", stopReason: "end_turn" };
  it.each([
    ["its work is done", ended, done],
    ["Droid waited for it", { ...ended, input: { await: true }, background: true }, done],
    ["it may still work in the background", { ...ended, background: true }, { state: "unknown" }],
    [
      "it failed",
      { ...ended, isError: true, background: true },
      { state: "idle", stopReason: "error", error: { code: -32603, message: "text" } },
    ],
  ])("has the right state when %s", (_, result, activity) => {
    expect(activityAfter(result)).toEqual(activity);
  });
});

import { describe, expect, it } from "vitest";
import { lineOf, noteOf } from "../../../src/cli/serve/events.ts";

describe("a note", () => {
  it("says how an agent ended that no one asked to end", () => {
    const reason = {
      kind: "exited",
      exit: { code: 3, signal: null },
      stderr: "out of memory",
    } as const;
    const event = { type: "agent_ended", agent: "claude", owner: "ada", reason } as const;
    expect(noteOf({ ...event, cause: "died" })).toMatch(/^claude \(ada\) ended: .*3/);
    expect(noteOf({ ...event, cause: "idle" })).toBeUndefined();
    expect(noteOf({ ...event, cause: "closed" })).toBeUndefined();
  });

  it("says that changed files cannot be used", () => {
    const error = new Error("tokens[0].name must be a name");
    expect(noteOf({ type: "reload_failed", what: "tokens", error })).toBe(
      "the changed tokens cannot be used, so the old ones stay valid: tokens[0].name must be a name",
    );
  });
});

it("a line for --verbose has no results and no contents", () => {
  const event = {
    type: "answered",
    agent: "claude",
    owner: "ada",
    sessionId: "s",
    method: "fs/read_text_file",
    by: "bob",
    result: { content: "a secret" },
  } as const;
  expect(lineOf(event)).toBe(
    "answered agent=claude owner=ada sessionId=s method=fs/read_text_file by=bob",
  );
});

import { describe, expect, it } from "vitest";
import { lineOf, noteOf, notePrinter } from "../../../../src/apps/cli/serve/events.ts";

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

it("notes are printed without secrets, and left out while nobody reads them", () => {
  const notes: string[] = [];
  const screen = { isStoryOverloaded: false };
  const print = notePrinter({ renderer: { note: (text) => notes.push(text) }, screen });
  print("could not start a: no answer from wss://me:not-a-real-key@h/?key=not-a-real-key");
  screen.isStoryOverloaded = true;
  print("later");
  expect(notes).toEqual([
    "could not start a: no answer from wss://me:[redacted]@h/?key=[redacted]",
  ]);
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

import { GRAMMAR } from "../../../../../src/apps/cli/commands/grammar.ts";
import { describe, expect, it } from "vitest";
import { commandLike } from "../../../../../src/apps/cli/commands/prompt/first-word.ts";

const FRESH = { hasText: false, continues: false };

/** The words of a line; quotes keep a text together. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

describe("words that look like a command", () => {
  it.each([
    ["exec hi", 'dragoman "hi"'],
    ['exec "fix the bug"', 'dragoman "fix the bug"'],
    ['prompt "fix the bug"', 'dragoman "fix the bug"'],
    ["version", "dragoman --version"],
    ["models", "dragoman --list-models"],
    ["models claude", "dragoman -a claude --list-models"],
    ["login", "dragoman doctor"],
    ["login claude", "dragoman doctor claude"],
    ["install claude", "dragoman agents install claude"],
    ["update", "dragoman agents update NAME"],
    ["uninstall claude", "dragoman agents remove claude"],
    ["export", "dragoman sessions export ID"],
    ["init", "dragoman config"],
    ["ls", "dragoman agents, dragoman sessions list"],
    ["continue", 'dragoman -c "a question"'],
    ["sesions list", "dragoman sessions list"],
    ["sesions show 3f2a", "dragoman sessions show 3f2a"],
    ["session list", "dragoman sessions list"],
    ["session", "dragoman sessions"],
    ["agent", "dragoman agents"],
    ["docter claude", "dragoman doctor claude"],
    ["chatt", "dragoman chat"],
    ["caht", "dragoman chat"],
    ["hlep", "dragoman help"],
    ["repaly bug.jsonl", "dragoman replay bug.jsonl"],
    ["compeltion bash", "dragoman completion bash"],
  ])("are not sent: %s", (line, instead) => {
    const error = commandLike(GRAMMAR, wordsOf(line), FRESH);
    expect(error?.code).toBe(2);
    expect(error?.details.what).toContain("looks like a command, so nothing was sent");
    expect(error?.details.hint).toBe(`${instead}, or dragoman -- ${line} to send it as a prompt`);
  });

  it.each([
    '"exec hi"',
    '"sesions list"',
    "hi",
    "hello",
    "continue?",
    "Version",
    "exec format error",
    "exec into the container and list its files",
    "run the tests and fix the failures",
    'run "npm test"',
    "version 2 of the parser fails",
    "models are slow, why?",
    "model the data as a tree",
    "login is broken",
    "login page shows no error",
    "auth tokens expire too early",
    "install the dependencies",
    "install dependencies",
    "update the readme",
    "upgrade vitest",
    "list all open questions",
    "list sessions",
    "settings are not saved",
    "settings",
    "init the database",
    "resume parsing after an error",
    "continue with step 2",
    "prompt users before deleting files",
    "session list is empty, fix it",
    "session delete fails",
    "session tokens expire",
    "agent crashes on start",
    "agent install fails on mac",
    "doctors need an export",
    "reply to this review",
    "relay errors to the client",
    "that",
    "cat",
    "chart",
    "heap",
    "explain @src/parse.ts",
    "review",
    "fix",
    "test",
    "what does this do",
    "héllo",
    "",
  ])("are an ordinary prompt: %s", (line) => {
    expect(commandLike(GRAMMAR, wordsOf(line), FRESH)).toBeUndefined();
  });

  it.each(["update", "list", "continue", "setup", "reply", "session", "agent"])(
    "are a request about the text on stdin: %s",
    (line) => {
      expect(commandLike(GRAMMAR, wordsOf(line), { ...FRESH, hasText: true })).toBeUndefined();
    },
  );

  it.each(["continue", "version", "models", "update", "session", "login"])(
    "are an answer in a conversation: %s",
    (line) => {
      expect(commandLike(GRAMMAR, wordsOf(line), { ...FRESH, continues: true })).toBeUndefined();
    },
  );

  it.each(["version", "exec hi", "sesions list", "login"])(
    "are refused even if stdin is a pipe, as in CI: %s",
    (line) => {
      expect(commandLike(GRAMMAR, wordsOf(line), { ...FRESH, hasText: true })?.code).toBe(2);
    },
  );
});

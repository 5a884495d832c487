import { expect, it } from "vitest";
import { hubEventLine, hubEventNote } from "../../../../../src/apps/cli/render/text/hub-events.ts";
import type { ServeEvent } from "../../../../../src/host/hub/index.ts";

const who = { agent: "gemini", owner: "ada" };
const session = { ...who, sessionId: "s" };
const exit = { code: null, signal: "SIGKILL" };
const reason = { kind: "exited", exit, stderr: "one\ntwo\n" } as const;
const closed = { kind: "closed" } as const;
const error = new Error("no");
const killed = "the process was killed by SIGKILL; last lines of stderr:\none\ntwo";
const next = "; it is restarted with the next request";
const ended = { type: "agent_ended", ...who, reason: closed } as const;
const request = {
  type: "request_refused",
  method: "GET",
  path: "/acp",
  status: 403,
  reason: undefined,
  origin: undefined,
  host: "127.0.0.1:1",
  address: "127.0.0.1",
} as const;
const FLOODED = "sent too much that is not a message, and was ended";

it.each<readonly [ServeEvent, operator: string | undefined, user: string | undefined]>([
  [
    { ...ended, cause: "died", reason },
    `gemini (ada) ended: ${killed}`,
    `gemini ended: ${killed}${next}`,
  ],
  [{ ...ended, cause: "flooded" }, `gemini (ada) ${FLOODED}`, `gemini ${FLOODED}${next}`],
  [{ ...ended, cause: "idle" }, undefined, `gemini was ended because it was idle${next}`],
  [{ ...ended, cause: "closed" }, undefined, undefined],
  [{ type: "agent_started", ...who, pid: 3, starts: 1, ms: 9 }, undefined, undefined],
  [{ type: "agent_started", ...who, pid: 3, starts: 2, ms: 9 }, undefined, "gemini was restarted"],
  [
    { type: "agent_start_failed", ...who, error, retryMs: 1500 },
    "could not start gemini (ada): no",
    "could not start gemini: no; the next attempt is in 2 s at the earliest",
  ],
  // The exit message tells the user.
  [
    { type: "agent_start_failed", ...who, error, retryMs: undefined },
    "could not start gemini (ada): no",
    undefined,
  ],
  [
    { type: "session_lost", ...session, message: "not found" },
    "could not reopen session s of ada: not found",
    "could not reopen session s: not found",
  ],
  [
    { type: "refused", owner: "ada", method: "session/prompt", message: "no" },
    undefined,
    "refused session/prompt: no",
  ],
  [{ type: "turn_started", ...session, by: "client" }, undefined, undefined],
  ...(
    [
      [{}, undefined],
      [{ reason: "no_token" }, "refused a connection from 127.0.0.1: no token"],
      [{ reason: "wrong_token" }, "refused a connection from 127.0.0.1: wrong token"],
      [
        { reason: "token_in_address" },
        "refused a connection from 127.0.0.1: a token in the address",
      ],
      [
        { reason: "origin", origin: "https://x" },
        "refused origin https://x; allow it with --origin https://x",
      ],
      [{ reason: "origin", origin: "null" }, "refused origin null"],
      [{ reason: "origin", origin: "https://x;id" }, "refused origin https://x;id"],
      [{ reason: "origin", origin: "\u001b]0;x\u0007" }, "refused origin \u241b]0;x\u2407"],
      [{ reason: "origin", origin: "x".repeat(500) }, `refused origin ${"x".repeat(100)}`],
      [
        { reason: "host", host: "box.example:80" },
        "refused host box.example:80; allow it with --host-name box.example",
      ],
      [{ reason: "host", host: undefined }, "refused host (none)"],
    ] as const
  ).map(([fields, note]) => [{ ...request, ...fields }, note, note] as const),
  [
    { type: "reload_failed", what: "tokens", error },
    "the changed tokens cannot be used, so the old ones stay valid: no",
    "the changed tokens cannot be used, so the old ones stay valid: no",
  ],
])("a note about %o is %s, or %s for the user of a proxy", (event, operator, user) => {
  expect(hubEventNote(event, "operator")).toBe(operator);
  expect(hubEventNote(event, "user")).toBe(user);
});

it.each<readonly [ServeEvent, string]>([
  [
    {
      type: "answered",
      ...session,
      method: "fs/read_text_file",
      by: "bob",
      result: { content: "a secret" },
    },
    "answered agent=gemini owner=ada sessionId=s method=fs/read_text_file by=bob",
  ],
  [{ ...ended, cause: "idle" }, "agent_ended agent=gemini owner=ada cause=idle"],
  [
    { type: "session_lost", ...session, message: "not found" },
    "session_lost agent=gemini owner=ada sessionId=s (not found)",
  ],
])("a line of a log about %o has its reason, but no results and no contents", (event, line) => {
  expect(hubEventLine(event)).toBe(line);
});

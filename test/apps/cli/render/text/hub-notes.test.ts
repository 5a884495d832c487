import { expect, it } from "vitest";
import { noteOf } from "../../../../../src/apps/cli/connect/proxy-recording.ts";
import type { HubEvent } from "../../../../../src/host/hub/index.ts";

const who = { agent: "gemini", owner: "client" };
const session = { ...who, sessionId: "s" };
const exit = { code: null, signal: "SIGKILL" };
const reason = { kind: "exited", exit, stderr: "one\ntwo\n" } as const;
const closed = { kind: "closed" } as const;
const error = new Error("no");

const rows: readonly (readonly [HubEvent, string | undefined])[] = [
  [
    { type: "agent_ended", ...who, cause: "died", reason },
    "gemini: the process was killed by SIGKILL; last lines of stderr:\none\ntwo; it is started again with the next request",
  ],
  [
    { type: "agent_ended", ...who, cause: "ignored_cancel", reason: closed },
    "gemini was ended because it did not end a cancelled turn; it is started again with the next request",
  ],
  [
    { type: "agent_ended", ...who, cause: "unresponsive", reason: closed },
    "gemini was ended because it did not answer; it is started again with the next request",
  ],
  [
    { type: "agent_ended", ...who, cause: "flooded", reason: closed },
    "gemini was ended because it sent too much that is not a message; it is started again with the next request",
  ],
  [
    { type: "agent_ended", ...who, cause: "idle", reason: closed },
    "gemini was ended because it was idle; it is started again with the next request",
  ],
  [{ type: "agent_ended", ...who, cause: "closed", reason: closed }, undefined],
  [{ type: "agent_started", ...who, pid: 3, starts: 1, ms: 9 }, undefined],
  [{ type: "agent_started", ...who, pid: 3, starts: 2, ms: 9 }, "gemini was started again"],
  [
    { type: "agent_start_failed", ...who, error, retryMs: 1500 },
    "could not start gemini: no; the next attempt is in 2 s at the earliest",
  ],
  // The exit message reports it.
  [{ type: "agent_start_failed", ...who, error, retryMs: undefined }, undefined],
  [
    { type: "session_lost", ...session, message: "not found" },
    "could not open the session s again: not found",
  ],
  [
    { type: "refused", owner: "client", method: "session/prompt", message: "no" },
    "refused session/prompt: no",
  ],
  [{ type: "turn_started", ...session, by: "client" }, undefined],
];

it.each(rows)("a note about %o is %s", (event, note) => {
  expect(noteOf(event)).toBe(note);
});

import { describe, expect, it } from "vitest";
import {
  ignoredNotices,
  mcpNotices,
  noticeAsText,
  noticeOf,
  serverNotices,
} from "../../../../src/apps/droid-acp/translate/notices.ts";
import type { DroidEvent, McpServerStatus } from "../../../../src/droid/index.ts";
import { strictFaults } from "../../../support/schema.ts";

const hook = {
  type: "notice",
  kind: "hook",
  hookId: "h",
  event: "Stop",
  toolId: undefined,
} as const;

describe("a notice", () => {
  it.each<readonly [Extract<DroidEvent, { type: "notice" }>, RegExp | undefined]>([
    [
      { type: "notice", kind: "retry", attempt: 2, reason: "rate_limited" },
      /attempt 2[^]*too many requests/,
    ],
    [{ type: "notice", kind: "retry", attempt: undefined, reason: "odd" }, /Retrying[^]*odd/],
    [
      { type: "notice", kind: "compaction", removedCount: 3, summaryId: undefined },
      /compacted[^]*3 messages/,
    ],
    [
      { type: "notice", kind: "message", messageId: "m", text: "/x is running\nmore" },
      /^\/x is running\nmore/,
    ],
    [{ type: "notice", kind: "discarded", text: "t", requestId: undefined }, /discarded/],
    [{ type: "notice", kind: "session", sessionId: "s" }, undefined],
    [{ ...hook, stage: "started", raw: {} }, undefined],
    [
      {
        ...hook,
        stage: "completed",
        raw: { hookResults: [{ exitCode: 0 }, { exitCode: 2, stderr: "bad" }] },
      },
      /Stop hook exited with code 2\nbad/,
    ],
  ])("says in plain words what happened, or is left out: %j", (event, words) => {
    const notice = noticeOf(event);
    if (words === undefined) return expect(notice).toBeUndefined();
    if (!notice) throw new Error("expected a notice");
    expect(noticeAsText(notice)).toMatch(words);
    expect(strictFaults("SessionUpdate", { sessionUpdate: "notice", ...notice })).toEqual([]);
  });

  it.each<[McpServerStatus["raw"], string | undefined, RegExp]>([
    [{}, "boom", /gh does not work\nboom/],
    [{}, undefined, /gh does not work/],
    [{}, "Authentication required", /gh needs a login\nRun \/mcp-login gh/],
    [{ requiresAuth: true }, "x", /gh needs a login\nRun \/mcp-login gh/],
    [
      { requiresAuth: true, pendingAuthUrl: "https://login" },
      "x",
      /needs a login\nSign in at https/,
    ],
  ])("reports a server that failed with status %j and error %j", (raw, error, words) => {
    const base = { name: "gh", source: undefined, serverType: undefined, isManaged: true };
    const failed = { ...base, status: "failed", error, raw };
    const fine = { ...base, status: "connected", error: undefined, raw: {} };
    const notices = mcpNotices({ type: "mcp", kind: "status", servers: [fine, failed] });
    expect(notices).toHaveLength(1);
    for (const notice of notices) {
      expect(noticeAsText(notice)).toMatch(words);
      expect(strictFaults("SessionUpdate", { sessionUpdate: "notice", ...notice })).toEqual([]);
    }
  });

  it("gives the sign-in URL of a server, and confirms the login", () => {
    const login = { type: "mcp", kind: "auth_required", server: "gh", message: undefined } as const;
    const [request] = mcpNotices({ ...login, url: "https://login" });
    expect(request && noticeAsText(request)).toMatch(
      /gh needs a login\nSign in at https:\/\/login/,
    );
    expect(mcpNotices({ ...login, url: undefined })).toHaveLength(1);
    const done = { type: "mcp", kind: "auth_completed", server: "gh", raw: {} } as const;
    expect(mcpNotices(done)[0]?.title).toContain("Signed in");
  });

  it("reports servers of the client that do not work", () => {
    const notices = serverNotices([
      { name: "good", status: "connected", tools: ["t"] },
      { name: "bad", status: "failed", tools: [] },
      { name: "old", status: "unsupported", tools: [] },
    ]);
    expect(notices.map(({ title }) => title)).toEqual([
      "The MCP server bad does not work",
      "The MCP server old is not used",
    ]);
  });

  it("reports requested settings that Droid did not apply", () => {
    expect(
      ignoredNotices([
        { setting: "model", requested: "x", actual: "y", kind: "ignored" },
        { setting: "model", requested: "z", actual: "z", kind: "unlisted" },
      ]).map(noticeAsText),
    ).toEqual([
      "Droid did not apply model “x”\nIt uses y instead.\n",
      "Droid does not list the model z\n",
    ]);
  });
});

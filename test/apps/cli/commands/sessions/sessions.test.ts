import { describe, expect, it } from "vitest";
import { events, run, withAgent } from "../../support/run.ts";
import { expectRefused, foldersForAll } from "../setup.ts";

const folders = foldersForAll();
/** Two hours after the scripted agent's session was changed. */
const now = () => Date.parse("2026-01-02T05:30:00Z");
const where = () => ({ ...folders, now });
describe("dragoman sessions", () => {
  const sessions = (...argv: string[]) => run(["sessions", ...argv, ...withAgent()], where());
  it("list prints all pages as a table", async () => {
    const { code, out } = await sessions("list");
    expect(code).toBe(0);
    expect(out).toBe("SESSION  UPDATED  TITLE\nkept     2 h ago  The kept one\nother\n");
    expect((await sessions()).out).toBe(out);
    expect((await sessions("list", "--all")).out).toContain(`FOLDER`);
    expect(events((await sessions("list", "-o", "events")).out)).toMatchObject([
      { type: "agent" },
      { sessionId: "kept" },
      { sessionId: "other" },
      { type: "result", ok: true },
    ]);
  });
  it("show prints the conversation", async () => {
    const { out } = await sessions("show", "kept");
    expect(out).toBe(
      "You: what was asked\n\nAgent: what was answered\n\n[tool] Old tool (completed)\n",
    );
  });
  it("export prints the conversation as Markdown or as events", async () => {
    const { out } = await sessions("export", "kept");
    expect(out).toBe(
      "## You\n\nwhat was asked\n\n## Agent\n\nwhat was answered\n\n- tool: Old tool (completed)\n",
    );
    const all = events((await sessions("export", "kept", "-o", "events")).out);
    expect(all.map(({ type }) => type)).toEqual([
      "agent",
      "user",
      "text",
      "text",
      "tool",
      "result",
    ]);
  });
  it("export prints the conversation as one JSON document", async () => {
    const { out } = await sessions("export", "kept", "--format", "json");
    expect(JSON.parse(out)).toEqual({
      v: 1,
      agent: "node",
      sessionId: "kept",
      messages: [
        { role: "user", text: "what was asked" },
        { role: "agent", text: "what was answered" },
        { role: "tool", title: "Old tool", status: "completed" },
      ],
    });
  });
  it("export prints the conversation as a document in HTML", async () => {
    const { out } = await sessions("export", "kept", "--format", "html");
    expect(out).toMatch(/^<!doctype html>/);
    expect(out).toContain("<h2>You</h2>\n<pre>what was asked</pre>");
    expect(out).toContain("<h2>Agent</h2>\n<pre>what was answered</pre>");
    expect(out).toContain('<p class="tool">Old tool (completed)</p>');
    expect(out.trimEnd()).toMatch(/<\/html>$/);
  });
  it.each(["md", "html", "json"])("export as %s has no secrets", async (format) => {
    const argv = [...withAgent("secret-in-history"), "--format", format];
    const { out } = await run(["sessions", "export", "kept", ...argv], where());
    expect(out).toMatch(/answered by https:\/\/h\.example\/\?api_key=\[redacted\]&(?:amp;)?x=1/);
  });
  it("show and delete take the start of an id", async () => {
    expect((await sessions("show", "ke")).out).toContain("what was asked");
    expect(await sessions("delete", "ot")).toMatchObject({ code: 0, last: "deleted other" });
  });
  it("delete deletes a session", async () => {
    const deleted = { code: 0, out: "", last: "deleted kept" };
    expect(await sessions("delete", "kept")).toMatchObject(deleted);
  });
  it.each([
    [["show", "gone"], 4, "cannot reopen the session"],
    [["delete", "gone"], 4, 'node has no session "gone"'],
    [["delete", ""], 2, "sessions delete needs the id of one session"],
    [["prune", "x"], 2, "sessions prune takes no arguments"],
    [
      ["prune", "--older-than", "soon"],
      2,
      '--older-than "soon" is not an age; try: --older-than 12h',
    ],
    [["list", "--yes"], 2, "--yes is for sessions prune, not for list"],
    [["show", "kept", "--format", "html"], 2, "--format is for sessions export, not for show"],
    [["export", "kept", "--format", "pdf"], 2, '--format "pdf" is not one of md, html, json'],
    [["export", "kept", "--format", "json", "-o", "events"], 2, "contradict each other"],
    [["show"], 2, "sessions show needs the id of one session"],
    [["list", "x"], 2, "sessions list takes no arguments"],
    [["lits"], 2, 'unknown action "lits" for sessions; try: list, show, export, delete, prune'],
  ])("%j fails with a clear message", (argv, code, message) =>
    expectRefused(sessions(...argv), message, code),
  );
  it("fails for an agent that cannot list sessions", () =>
    expectRefused(
      run(["sessions", ...withAgent("no-list")], where()),
      "does not advertise sessionCapabilities.list",
    ));
  it("show fails for an agent that can only resume sessions", () =>
    expectRefused(
      run(["sessions", "show", "kept", ...withAgent("no-load", "resume")], where()),
      "not replay",
      4,
    ));
});

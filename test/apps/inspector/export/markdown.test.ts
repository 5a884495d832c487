import { describe, expect, it } from "vitest";
import { exportMarkdown } from "../../../../src/apps/inspector/export/markdown.ts";
import { modelOfFile, Script } from "../sessions.ts";

const text = (words: string) => ({ type: "content", content: { type: "text", text: words } });

describe("a conversation as Markdown", () => {
  it("has prompts, answers, tool calls, permissions and the end of each turn", () => {
    const script = new Script().open().prompt(2, "Fix `it`");
    script.update("agent_thought_chunk", { content: { type: "text", text: "let me\nsee" } });
    script.update("plan", {
      entries: [{ content: "Look", status: "completed" }, { content: "Fix" }],
    });
    script.say("**Done").say("**.").wait(1500);
    const call = { toolCallId: "t", title: "Run *ls*", kind: "execute" };
    script.update("tool_call", call).ask(5, "t");
    const decision = { what: "ls", outcome: "denied", by: "flag", hint: "--exec" } as const;
    script.event({ ms: 1500, event: "permission", toolCallId: "t", ...decision }).choose(5, "no");
    const content = [text("```\nfile"), { type: "diff", path: "/a", newText: "b" }];
    script.update("tool_call_update", { toolCallId: "t", status: "failed", content }).done(2);
    expect(exportMarkdown(script.model)).toBe(
      [
        "# Session",
        "## User\n\nFix `it`",
        "> *Thought:* let me\n> see",
        "- [x] Look\n- [ ] Fix",
        "**Done**.",
        "- **Run \\*ls\\*** (execute): failed, 0 ms\n\n  ````\n  ```\n  file\n  ````\n\n  changed `/a`",
        "- Permission for **Run \\*ls\\***: Reject (by flag: --exec); offered: Allow once, Always allow, Reject",
        "*Ended with end\\_turn after 1.5 s*\n",
      ].join("\n\n"),
    );
  });

  it("says in words that a turn ended without an answer, or failed", () => {
    const silent = new Script().open().prompt(2).done(2).model;
    expect(exportMarkdown(silent)).toContain("without a message or a tool call");
    const failed = new Script()
      .open()
      .prompt(2)
      .in({ id: 2, error: { code: 1, message: "no_key" } });
    expect(exportMarkdown(failed.model)).toContain(
      String.raw`The prompt failed after 0 ms: no\_key`,
    );
  });

  it("cannot act on a terminal", () => {
    expect(exportMarkdown(new Script().open().prompt(2, "\u001B[31mred").model)).not.toContain(
      "\u001B",
    );
  });

  it("names the agent and the client", () => {
    expect(exportMarkdown(modelOfFile("captures/goose-1.37.0.json.gz"))).toMatch(
      /^# goose with WebStorm/,
    );
  });
});

import { describe, expect, it } from "vitest";
import {
  askedChanges,
  diffContent,
  madeChanges,
  plannedChanges,
  storedChanges,
  writtenPaths,
  type FileText,
} from "../../src/adapter/translate/diffs.ts";
import { addedText, patchTargets, patchText } from "../../src/adapter/translate/patches.ts";
import { shown } from "../../src/adapter/translate/paths.ts";
import { liveContent, toolOutcome, verbatim } from "../../src/adapter/translate/tool-content.ts";
import { mcpToolName, toolKind, describeTool } from "../../src/adapter/translate/tool-names.ts";
import type { JsonObject } from "../../src/entries/wire.ts";
import { strictFaults } from "../support/schema.ts";

const place = { cwd: "/w", firstLine: 1 } as const;

const PATCH = `*** Begin Patch
*** Add File: new.ts
+one
+two
*** Update File: src/a.ts
*** Move to: src/b.ts
@@
-x
+y
*** Delete File: gone.ts
*** End Patch`;

describe("the looks of a tool call", () => {
  const rows: readonly (readonly [string, JsonObject, string, string, readonly unknown[]])[] = [
    ["Read", { file_path: "/w/src/a.ts" }, "Read src/a.ts", "read", [{ path: "/w/src/a.ts" }]],
    [
      "Read",
      { file_path: "a", offset: 3, limit: 2 },
      "Read a (lines 3 to 4)",
      "read",
      [{ path: "/w/a", line: 3 }],
    ],
    [
      "Read",
      { file_path: "/etc/hosts", offset: 9 },
      "Read /etc/hosts (from line 9)",
      "read",
      [{ path: "/etc/hosts", line: 9 }],
    ],
    ["Read", { file_path: "a", offset: 0 }, "Read a", "read", [{ path: "/w/a" }]],
    ["Read", {}, "Read a file", "read", []],
    ["LS", { directory_path: "/w" }, "List .", "read", [{ path: "/w" }]],
    ["LS", {}, "List the folder", "read", []],
    [
      "Grep",
      { pattern: "a b", path: "/w/src" },
      "Search for “a b” in src",
      "search",
      [{ path: "/w/src" }],
    ],
    [
      "Glob",
      { patterns: ["*.ts", "*.js"], folder: "/w" },
      "Find *.ts, *.js",
      "search",
      [{ path: "/w" }],
    ],
    ["Glob", { patterns: "*.ts" }, "Find *.ts", "search", []],
    ["Create", { file_path: "/w/b" }, "Create b", "edit", [{ path: "/w/b" }]],
    ["Edit", { file_path: "/w/b" }, "Edit b", "edit", [{ path: "/w/b" }]],
    [
      "ApplyPatch",
      { input: PATCH },
      "Patch new.ts, src/a.ts, gone.ts",
      "edit",
      [{ path: "/w/new.ts" }, { path: "/w/src/b.ts" }, { path: "/w/gone.ts" }],
    ],
    ["Execute", { command: "npm test" }, "npm test", "execute", []],
    ["Execute", { command: "a\nb" }, "a …", "execute", []],
    ["Execute", {}, "Run a command", "execute", []],
    ["FetchUrl", { url: "https://x" }, "Fetch https://x", "fetch", []],
    ["WebSearch", { query: "q" }, "Search the web for “q”", "fetch", []],
    [
      "Task",
      { subagent_type: "worker", description: "dig", prompt: "p" },
      "Sub-agent worker: dig",
      "think",
      [],
    ],
    ["Task", {}, "Sub-agent", "think", []],
    ["Skill", { skill: "pdf" }, "Use the skill pdf", "other", []],
    ["ExitSpecMode", { title: "T", plan: "p" }, "T", "switch_mode", []],
    ["ExitSpecMode", {}, "Present the plan", "switch_mode", []],
    ["AskUser", { questionnaire: "x" }, "Ask you a question", "other", []],
    ["tiny___ping", { path: "a" }, "tiny: ping", "other", []],
    ["SomethingNew", { file_path: 3 }, "SomethingNew", "other", []],
    ["", {}, "Use a tool", "other", []],
    ["constructor", {}, "constructor", "other", []],
  ];
  it.each(rows)("%s %j", (name, input, title, kind, locations) => {
    expect(describeTool(name, input, place)).toEqual({ title, kind, locations });
  });

  it("count Read's lines from zero where Droid does", () => {
    const looks = describeTool("Read", { file_path: "a", offset: 3 }, { cwd: "/w", firstLine: 0 });
    expect(looks.locations).toEqual([{ path: "/w/a", line: 4 }]);
  });

  it("tell MCP tools by the three underscores between two names", () => {
    expect(mcpToolName("a___b___c")).toEqual({ server: "a", tool: "b___c" });
    expect(mcpToolName("___b")).toBeUndefined();
    expect(mcpToolName("a___")).toBeUndefined();
    expect(toolKind("a___b")).toBe("other");
  });

  it.each([
    ["/w/a/b", "a/b"],
    ["/w", "."],
    ["/wider/a", "/wider/a"],
    ["../x", "/x"],
  ])("show %s as %s", (path, text) => {
    expect(shown(path, "/w")).toBe(text);
  });
});

describe("what a tool call shows", () => {
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
  ] as const)("%s that gave %j", (name, content, isError, status, texts, exitCode) => {
    const outcome = toolOutcome(name, { plan: "the plan" }, { content, isError });
    expect(outcome.status).toBe(status);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.content).toEqual(
      texts.map((text) => ({ type: "content", content: { type: "text", text } })),
    );
  });

  it("fences text that has fences in it with longer ones", () => {
    expect(verbatim("a\n```\nb\n````")).toEqual({
      type: "content",
      content: { type: "text", text: "`````\na\n```\nb\n````\n`````" },
    });
  });

  it("shows the end of long output, from a whole line on", () => {
    const [content] = liveContent(`${"x".repeat(20_000)}\nlast\n`);
    expect(JSON.stringify(content)).toContain("…\\nlast\\n```");
    expect(liveContent("\n \n")).toEqual([]);
  });
});

describe("patches", () => {
  it("name their files", () => {
    expect(patchTargets(PATCH)).toEqual([
      { path: "new.ts", operation: "add", movedTo: undefined },
      { path: "src/a.ts", operation: "update", movedTo: "src/b.ts" },
      { path: "gone.ts", operation: "delete", movedTo: undefined },
    ]);
    expect(patchTargets("nothing")).toEqual([]);
  });
  it("are found under any name in the input, and give the text of new files", () => {
    expect(patchText({ a: 1, whatever: PATCH })).toBe(PATCH);
    expect(patchText({ input: "no patch" })).toBeUndefined();
    expect(addedText(PATCH, "new.ts")).toBe("one\ntwo\n");
    expect(addedText(PATCH, "src/a.ts")).toBeUndefined();
  });
});

describe("changes", () => {
  const at = (text: FileText) => () => text;
  const edit = { file_path: "a", old_str: "b", new_str: "B" };

  it.each([
    [
      "Create",
      { file_path: "a", content: "n" },
      null,
      [{ path: "/w/a", oldText: null, newText: "n" }],
    ],
    [
      "Create",
      { file_path: "a", content: "n" },
      "o",
      [{ path: "/w/a", oldText: "o", newText: "n" }],
    ],
    ["Create", { file_path: "a" }, null, []],
    ["Edit", edit, "abc abc", [{ path: "/w/a", oldText: "abc abc", newText: "aBc abc" }]],
    [
      "Edit",
      { ...edit, change_all: true },
      "abc abc",
      [{ path: "/w/a", oldText: "abc abc", newText: "aBc aBc" }],
    ],
    [
      "Edit",
      { ...edit, new_str: "$&" },
      "abc",
      [{ path: "/w/a", oldText: "abc", newText: "a$&c" }],
    ],
    ["Edit", edit, undefined, [{ path: "/w/a", oldText: "b", newText: "B" }]],
    ["Edit", edit, "nothing like it", [{ path: "/w/a", oldText: "b", newText: "B" }]],
    [
      "MultiEdit",
      {
        file_path: "a",
        edits: [
          { old_str: "a", new_str: "1" },
          { old_str: "b", new_str: "2" },
        ],
      },
      "ab",
      [{ path: "/w/a", oldText: "ab", newText: "12" }],
    ],
    [
      "ApplyPatch",
      { input: PATCH },
      undefined,
      [{ path: "/w/new.ts", oldText: null, newText: "one\ntwo\n" }],
    ],
    ["Read", { file_path: "a" }, "x", []],
  ] as const)("planned by %s %j on %j", (name, input, before, changes) => {
    expect(plannedChanges(name, input, "/w", at(before))).toEqual(changes);
  });

  it.each([
    ["Edit", edit, "abc", "aBc", [{ path: "/w/a", oldText: "abc", newText: "aBc" }]],
    // The look at the file came too late: the change is taken back out.
    ["Edit", edit, "aBc", "aBc", [{ path: "/w/a", oldText: "abc", newText: "aBc" }]],
    ["Edit", edit, undefined, "aBc", [{ path: "/w/a", oldText: "abc", newText: "aBc" }]],
    // Which of the two it was cannot be known.
    ["Edit", edit, "aBcB", "aBcB", [{ path: "/w/a", oldText: "b", newText: "B" }]],
    [
      "Edit",
      { ...edit, change_all: true },
      "aBcB",
      "aBcB",
      [{ path: "/w/a", oldText: "abcb", newText: "aBcB" }],
    ],
    ["Edit", { ...edit, new_str: "" }, "ac", "ac", [{ path: "/w/a", oldText: "b", newText: "" }]],
    [
      "Create",
      { file_path: "a", content: "n" },
      null,
      "n",
      [{ path: "/w/a", oldText: null, newText: "n" }],
    ],
    [
      "Create",
      { file_path: "a", content: "n" },
      "n",
      "n",
      [{ path: "/w/a", oldText: null, newText: "n" }],
    ],
    [
      "Create",
      { file_path: "a", content: "n" },
      "o",
      undefined,
      [{ path: "/w/a", oldText: "o", newText: "n" }],
    ],
  ] as const)("made by %s %j from %j to %j", (name, input, before, after, changes) => {
    expect(madeChanges(name, input, "/w", () => ({ before, after }))).toEqual(changes);
  });

  it("made by a patch are whole files; what is gone has an empty new text", () => {
    const disk: Record<string, { before: FileText; after: FileText }> = {
      "/w/new.ts": { before: null, after: "one\ntwo\n" },
      "/w/src/a.ts": { before: "x\n", after: null },
      "/w/src/b.ts": { before: null, after: "y\n" },
      "/w/gone.ts": { before: "was", after: null },
    };
    const seen = (path: string) => disk[path] ?? { before: undefined, after: undefined };
    const changes = madeChanges("ApplyPatch", { input: PATCH }, "/w", seen);
    expect(changes).toEqual([
      { path: "/w/new.ts", oldText: null, newText: "one\ntwo\n" },
      { path: "/w/src/a.ts", oldText: "x\n", newText: "" },
      { path: "/w/src/b.ts", oldText: null, newText: "y\n" },
      { path: "/w/gone.ts", oldText: "was", newText: "" },
    ]);
    for (const content of diffContent(changes))
      expect(strictFaults("ToolCallContent", content)).toEqual([]);
  });

  it("that Droid asks about are taken as it tells them", () => {
    const file = { fileName: undefined, filePath: "a" };
    expect(askedChanges({ kind: "create", ...file, content: "n" }, "/w", at("old"))).toEqual([
      { path: "/w/a", oldText: "old", newText: "n" },
    ]);
    expect(
      askedChanges({ kind: "edit", ...file, oldContent: "o", newContent: "n" }, "/w", at(null)),
    ).toEqual([{ path: "/w/a", oldText: "o", newText: "n" }]);
    const files = [
      { filePath: "x", operation: "add", oldContent: undefined, newContent: "n" },
      { filePath: "", operation: undefined, oldContent: undefined, newContent: undefined },
    ];
    expect(
      askedChanges({ kind: "apply_patch", filePath: "x", patch: PATCH, files }, "/w", at(null)),
    ).toEqual([{ path: "/w/x", oldText: null, newText: "n" }]);
    expect(askedChanges({ kind: "unknown", raw: {} }, "/w", at(null))).toEqual([]);
  });

  it("of before come from the input, or whole where the result has the new text (0.99)", () => {
    expect(storedChanges("Edit", edit, "/w", '{"diffLines":[]}')).toEqual([
      { path: "/w/a", oldText: "b", newText: "B" },
    ]);
    expect(storedChanges("Edit", edit, "/w", '{"content":"aBc"}')).toEqual([
      { path: "/w/a", oldText: "abc", newText: "aBc" },
    ]);
    expect(storedChanges("Edit", edit, "/w", "{broken")).toHaveLength(1);
  });

  it.each([
    ["Create", { file_path: "a" }, ["/w/a"]],
    ["ApplyPatch", { input: PATCH }, ["/w/new.ts", "/w/src/a.ts", "/w/src/b.ts", "/w/gone.ts"]],
    ["Read", { file_path: "a" }, []],
    ["Edit", {}, []],
  ])("of %s %j are looked for in %j", (name, input, paths) => {
    expect(writtenPaths(name, input, "/w")).toEqual(paths);
  });
});

import { describe, expect, it } from "vitest";
import {
  describeTool,
  mcpToolName,
  toolKind,
} from "../../../../src/apps/droid-acp/translate/tool-names.ts";
import type { JsonObject } from "../../../../src/entries/wire.ts";
import { PATCH } from "./sample-patch.ts";

const context = { cwd: "/w", firstLine: 1 } as const;

describe("the description of a tool call", () => {
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
  it.each(rows)(
    "has a title, a kind and locations: %s %j",
    (name, input, title, kind, locations) => {
      expect(describeTool(name, input, context)).toEqual({ title, kind, locations });
    },
  );

  it("counts the lines of Read from zero where Droid does", () => {
    const fromZero = { cwd: "/w", firstLine: 0 } as const;
    const { locations } = describeTool("Read", { file_path: "a", offset: 3 }, fromZero);
    expect(locations).toEqual([{ path: "/w/a", line: 4 }]);
  });

  it("recognises an MCP tool by the three underscores between server and tool", () => {
    expect(mcpToolName("a___b___c")).toEqual({ server: "a", tool: "b___c" });
    expect(mcpToolName("___b")).toBeUndefined();
    expect(mcpToolName("a___")).toBeUndefined();
    expect(toolKind("a___b")).toBe("other");
  });
});

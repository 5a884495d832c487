import { describe, expect, it } from "vitest";
import {
  describeTool,
  mcpToolName,
  toolKind,
} from "../../../../src/apps/droid-acp/translate/tool-names.ts";
import type { JsonObject } from "../../../../src/base/index.ts";
import { PATCH } from "./sample-patch.ts";

const context = { cwd: "/w", firstLine: 1 } as const;

describe("the description of a tool call", () => {
  const rows: readonly (readonly [string, JsonObject, string, string])[] = [
    ["Read", { file_path: "/w/src/a.ts" }, "read: Read src/a.ts", "/w/src/a.ts"],
    ["Read", { file_path: "a", offset: 3, limit: 2 }, "read: Read a (lines 3 to 4)", "/w/a:3"],
    [
      "Read",
      { file_path: "/etc/hosts", offset: 9 },
      "read: Read /etc/hosts (from line 9)",
      "/etc/hosts:9",
    ],
    ["Read", { file_path: "a", offset: 0 }, "read: Read a", "/w/a"],
    ["Read", {}, "read: Read a file", ""],
    ["LS", { directory_path: "/w" }, "read: List .", "/w"],
    ["LS", {}, "read: List the folder", ""],
    ["Grep", { pattern: "a b", path: "/w/src" }, "search: Search for “a b” in src", "/w/src"],
    ["Glob", { patterns: ["*.ts", "*.js"], folder: "/w" }, "search: Find *.ts, *.js", "/w"],
    ["Glob", { patterns: "*.ts" }, "search: Find *.ts", ""],
    ["Create", { file_path: "/w/b" }, "edit: Create b", "/w/b"],
    ["Edit", { file_path: "/w/b" }, "edit: Edit b", "/w/b"],
    [
      "ApplyPatch",
      { input: PATCH },
      "edit: Patch new.ts, src/a.ts, gone.ts",
      "/w/new.ts /w/src/b.ts /w/gone.ts",
    ],
    ["Execute", { command: "npm test" }, "execute: npm test", ""],
    ["Execute", { command: "a\nb" }, "execute: a …", ""],
    ["Execute", {}, "execute: Run a command", ""],
    ["FetchUrl", { url: "https://x" }, "fetch: Fetch https://x", ""],
    ["WebSearch", { query: "q" }, "fetch: Search the web for “q”", ""],
    [
      "Task",
      { subagent_type: "worker", description: "dig", prompt: "p" },
      "think: Sub-agent worker: dig",
      "",
    ],
    ["Task", {}, "think: Sub-agent", ""],
    ["Skill", { skill: "pdf" }, "other: Use the skill pdf", ""],
    ["ExitSpecMode", { title: "T", plan: "p" }, "switch_mode: T", ""],
    ["ExitSpecMode", {}, "switch_mode: Present the plan", ""],
    ["AskUser", { questionnaire: "x" }, "other: Ask you a question", ""],
    ["tiny___ping", { path: "a" }, "other: tiny: ping", ""],
    ["SomethingNew", { file_path: 3 }, "other: SomethingNew", ""],
    ["", {}, "other: Use a tool", ""],
    ["constructor", {}, "other: constructor", ""],
  ];
  it.each(rows)("has a kind, a title and locations: %s %j", (name, input, shown, places) => {
    const { title, kind, locations } = describeTool(name, input, context);
    expect(`${kind}: ${title}`).toBe(shown);
    const found = locations.map(({ path, line }) =>
      line === undefined ? path : `${path}:${line}`,
    );
    expect(found.join(" ")).toBe(places);
  });

  it("counts the lines of Read from zero where Droid does", () => {
    const fromZero = { cwd: "/w", firstLine: 0 } as const;
    const { locations } = describeTool("Read", { file_path: "a", offset: 3 }, fromZero);
    expect(locations).toEqual([{ path: "/w/a", line: 4 }]);
  });

  it("recognizes an MCP tool by the three underscores between server and tool", () => {
    expect(mcpToolName("a___b___c")).toEqual({ server: "a", tool: "b___c" });
    expect(mcpToolName("___b")).toBeUndefined();
    expect(mcpToolName("a___")).toBeUndefined();
    expect(toolKind("a___b")).toBe("other");
  });
});

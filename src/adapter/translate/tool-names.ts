/** What a tool call is: its kind, and a title a person understands. Pure and total. */
import type { ToolCallLocation, ToolKind } from "../../acp/index.ts";
import { type JsonObject, numberField } from "../../wire/index.ts";
import { oneLine, visibleField, oneOrManyField } from "./fields.ts";
import { patchTargets, patchText } from "./patches.ts";
import { absolute, shown } from "./paths.ts";

/** What the looks of a tool call depend on besides the call itself. */
export interface ToolContext {
  readonly cwd: string;
  /** The number of a file's first line in Read's `offset`: 0 up to 0.117, 1 from 0.215 on. */
  readonly firstLine: 0 | 1;
}

export interface ToolDescription {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: readonly ToolCallLocation[];
}

/** Names of tools whose calls are shown in ways of their own; the to-do list as a plan, not as a call. */
export const TODO_TOOL = "TodoWrite";
export const SPEC_TOOL = "ExitSpecMode";
export const QUESTION_TOOL = "AskUser";
export const COMMAND_TOOL = "Execute";

const EDIT_TOOLS: ReadonlySet<string> = new Set(["Edit", "MultiEdit"]);

/** Whether a tool changes text inside of a file that is there. */
export function isEditTool(name: string): boolean {
  return EDIT_TOOLS.has(name);
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  LS: "read",
  Grep: "search",
  Glob: "search",
  ToolSearch: "search",
  ConnectorSearch: "search",
  Create: "edit",
  Edit: "edit",
  MultiEdit: "edit",
  ApplyPatch: "edit",
  Execute: "execute",
  FetchUrl: "fetch",
  WebSearch: "fetch",
  Task: "think",
  ExitSpecMode: "switch_mode",
  TodoWrite: "think",
};

/** The kind of a tool; one that is not known, an MCP tool say, is `other`. */
export function toolKind(name: string): ToolKind {
  return (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined) ?? "other";
}

/** The server and the tool of an MCP tool's name; undefined for Droid's own tools. */
export function mcpToolName(
  name: string,
): { readonly server: string; readonly tool: string } | undefined {
  const cut = name.indexOf("___");
  if (cut <= 0 || cut + 3 >= name.length) return undefined;
  return { server: name.slice(0, cut), tool: name.slice(cut + 3) };
}

/** Everything a client shows of a call before it has run. The input may still be incomplete. */
export function describeTool(name: string, input: JsonObject, place: ToolContext): ToolDescription {
  return {
    title: toolTitle(name, input, place),
    kind: toolKind(name),
    locations: toolLocations(name, input, place),
  };
}

/** The files and folders a call is about, with absolute paths. */
export function toolLocations(
  name: string,
  input: JsonObject,
  { cwd, firstLine }: ToolContext,
): readonly ToolCallLocation[] {
  if (name === "ApplyPatch") {
    const paths = patchTargets(patchText(input) ?? "").map((file) => file.movedTo ?? file.path);
    return [...new Set(paths)].map((path) => ({ path: absolute(path, cwd) }));
  }
  const path = PATHLESS.has(name)
    ? undefined
    : visibleField(input, "file_path", "directory_path", "folder", "path");
  if (path === undefined || mcpToolName(name)) return [];
  const offset = name === "Read" ? numberField(input, "offset") : undefined;
  const line = offset === undefined ? undefined : Math.trunc(offset) + 1 - firstLine;
  return [{ path: absolute(path, cwd), ...(line !== undefined && line > 0 ? { line } : {}) }];
}

const PATHLESS: ReadonlySet<string> = new Set(["Execute", "Task", "Skill", "WebSearch"]);

/** A title for people. It never hides what is done: a command is shown as it will be run. */
export function toolTitle(name: string, input: JsonObject, place: ToolContext): string {
  const path = (...keys: readonly string[]): string | undefined => {
    const given = visibleField(input, ...keys);
    return given === undefined ? undefined : shown(given, place.cwd);
  };
  const quoted = (key: string): string | undefined => {
    const given = visibleField(input, key);
    return given === undefined ? undefined : `“${oneLine(given, 60)}”`;
  };
  switch (name) {
    case "Read":
      return joined("Read", path("file_path") ?? "a file", lines(input, place));
    case "LS":
      return joined("List", path("directory_path") ?? "the folder");
    case "Grep":
      return joined("Search for", quoted("pattern") ?? "text", within(path("path")));
    case "Glob":
      return joined("Find", globs(input) ?? "files", within(path("folder")));
    case "Create":
      return joined("Create", path("file_path") ?? "a file");
    case "Edit":
    case "MultiEdit":
      return joined("Edit", path("file_path") ?? "a file");
    case "ApplyPatch":
      return joined("Patch", patched(input, place.cwd) ?? "files");
    case "Execute":
      return oneLine(visibleField(input, "command") ?? "Run a command", 200);
    case "FetchUrl":
      return joined("Fetch", visibleField(input, "url") ?? "a page");
    case "WebSearch":
      return joined("Search the web for", quoted("query") ?? "something");
    case "Task":
      return agentTitle(input);
    case "TaskOutput":
      return "Read the report of a sub-agent";
    case "TaskStop":
      return "Stop a sub-agent";
    case "Skill":
      return joined("Use the skill", visibleField(input, "skill") ?? "…");
    case "ToolSearch":
    case "ConnectorSearch":
      return joined("Look for tools", quoted("query") ?? "");
    case "AskUser":
      return "Ask you a question";
    case "ExitSpecMode":
      return oneLine(visibleField(input, "title") ?? "Present the plan");
    case "TodoWrite":
      return "Update the plan";
    case "GenerateImage":
      return joined("Generate an image", quoted("prompt") ?? "");
    default:
      return unknownTitle(name);
  }
}

function unknownTitle(name: string): string {
  const mcp = mcpToolName(name);
  if (mcp) return `${mcp.server}: ${mcp.tool}`;
  return name === "" ? "Use a tool" : name;
}

function agentTitle(input: JsonObject): string {
  const kind = visibleField(input, "subagent_type");
  const task = visibleField(input, "description") ?? visibleField(input, "prompt");
  const who = kind === undefined ? "Sub-agent" : `Sub-agent ${oneLine(kind, 40)}`;
  return task === undefined ? who : `${who}: ${oneLine(task, 80)}`;
}

function lines(input: JsonObject, { firstLine }: ToolContext): string {
  const offset = numberField(input, "offset");
  const limit = numberField(input, "limit");
  const from = offset === undefined ? 1 : Math.max(1, Math.trunc(offset) + 1 - firstLine);
  if (limit !== undefined && limit > 0) return `(lines ${from} to ${from + limit - 1})`;
  return from > 1 ? `(from line ${from})` : "";
}

function globs(input: JsonObject): string | undefined {
  const patterns = oneOrManyField(input, "patterns");
  return patterns.length === 0 ? undefined : oneLine(patterns.join(", "), 80);
}

function patched(input: JsonObject, cwd: string): string | undefined {
  const names = patchTargets(patchText(input) ?? "").map(({ path }) => shown(path, cwd));
  return names.length === 0 ? undefined : oneLine(names.join(", "), 120);
}

function within(path: string | undefined): string {
  return path === undefined || path === "." ? "" : `in ${path}`;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

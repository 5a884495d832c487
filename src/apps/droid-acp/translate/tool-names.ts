/** The kind and the title of a tool call. Pure and total. */
import type { ToolCallLocation, ToolKind } from "../../../protocol/acp/index.ts";
import { type JsonObject, numberField } from "../../../base/index.ts";
import { oneLine, visibleField, inputStrings, toolPath, displayPath } from "./tool-input.ts";
import { patchTargets, patchText } from "./patch.ts";

/** The facts besides the call itself that the description of a tool call depends on. */
export interface ToolContext {
  readonly cwd: string;
  /** The number of the first line in the `offset` of Read: 0 up to 0.117, 1 from 0.215 on. */
  readonly firstLine: 0 | 1;
}

/** Tools whose calls are shown in a special way; the to-do list as a plan, not as a call. */
export const TODO_TOOL = "TodoWrite";
export const TASK_TOOL = "Task";
export const SPEC_TOOL = "ExitSpecMode";
export const QUESTION_TOOL = "AskUser";
export const COMMAND_TOOL = "Execute";

const EDIT_TOOLS: ReadonlySet<string> = new Set(["Edit", "MultiEdit"]);

/** Whether a tool changes text in an existing file. */
export function isEditTool(name: string): boolean {
  return EDIT_TOOLS.has(name);
}

/** The kind of a tool. An unknown tool, such as one of an MCP server, is `other`. */
export function toolKind(name: string): ToolKind {
  return toolEntry(name)?.kind ?? "other";
}

/** Splits the name of an MCP tool into server and tool. Undefined for Droid's own tools. */
export function mcpToolName(
  name: string,
): { readonly server: string; readonly tool: string } | undefined {
  const cut = name.indexOf("___");
  if (cut <= 0 || cut + 3 >= name.length) return undefined;
  return { server: name.slice(0, cut), tool: name.slice(cut + 3) };
}

/** Describes a call before it has run. The input may still be incomplete. */
export function describeTool(name: string, input: JsonObject, context: ToolContext) {
  return {
    title: toolTitle(name, input, context),
    kind: toolKind(name),
    locations: toolLocations(name, input, context),
  };
}

/** The files and folders of a call, with absolute paths. */
function toolLocations(
  name: string,
  input: JsonObject,
  { cwd, firstLine }: ToolContext,
): readonly ToolCallLocation[] {
  if (name === "ApplyPatch") {
    const paths = patchTargets(patchText(input) ?? "").map((file) => file.movedTo ?? file.path);
    return [...new Set(paths)].map((path) => ({ path: toolPath(path, cwd) }));
  }
  const path = PATHLESS.has(name)
    ? undefined
    : visibleField(input, "file_path", "directory_path", "folder", "path");
  if (path === undefined || mcpToolName(name)) return [];
  const offset = name === "Read" ? numberField(input, "offset") : undefined;
  const line = offset === undefined ? undefined : Math.trunc(offset) + 1 - firstLine;
  return [{ path: toolPath(path, cwd), ...(line !== undefined && line > 0 ? { line } : {}) }];
}

const PATHLESS: ReadonlySet<string> = new Set(["Execute", "Task", "Skill", "WebSearch"]);

/** A title for people. It never hides what a call does: a command is shown as it will run. */
function toolTitle(name: string, input: JsonObject, context: ToolContext): string {
  return toolEntry(name)?.title(new ToolInput(input, context)) ?? unknownTitle(name);
}

class ToolInput {
  readonly raw: JsonObject;
  readonly context: ToolContext;

  constructor(raw: JsonObject, context: ToolContext) {
    this.raw = raw;
    this.context = context;
  }

  field(key: string): string | undefined {
    return visibleField(this.raw, key);
  }

  path(key: string): string | undefined {
    const given = this.field(key);
    return given === undefined ? undefined : displayPath(given, this.context.cwd);
  }

  quoted(key: string): string | undefined {
    const given = this.field(key);
    return given === undefined ? undefined : `“${oneLine(given, 60)}”`;
  }
}

interface ToolEntry {
  /** Default: `other`. */
  readonly kind?: ToolKind;
  readonly title: (input: ToolInput) => string;
}

const editEntry: ToolEntry = {
  kind: "edit",
  title: (input) => joined("Edit", input.path("file_path") ?? "a file"),
};
const toolSearchEntry: ToolEntry = {
  kind: "search",
  title: (input) => joined("Look for tools", input.quoted("query") ?? ""),
};

const TOOLS: Readonly<Record<string, ToolEntry>> = {
  Read: {
    kind: "read",
    title: (input) => joined("Read", input.path("file_path") ?? "a file", lines(input)),
  },
  LS: {
    kind: "read",
    title: (input) => joined("List", input.path("directory_path") ?? "the folder"),
  },
  Grep: {
    kind: "search",
    title: (input) =>
      joined("Search for", input.quoted("pattern") ?? "text", inFolder(input.path("path"))),
  },
  Glob: {
    kind: "search",
    title: (input) => joined("Find", globs(input.raw) ?? "files", inFolder(input.path("folder"))),
  },
  ToolSearch: toolSearchEntry,
  ConnectorSearch: toolSearchEntry,
  Create: {
    kind: "edit",
    title: (input) => joined("Create", input.path("file_path") ?? "a file"),
  },
  Edit: editEntry,
  MultiEdit: editEntry,
  ApplyPatch: {
    kind: "edit",
    title: (input) => joined("Patch", patched(input.raw, input.context.cwd) ?? "files"),
  },
  Execute: {
    kind: "execute",
    title: (input) => oneLine(input.field("command") ?? "Run a command", 200),
  },
  FetchUrl: { kind: "fetch", title: (input) => joined("Fetch", input.field("url") ?? "a page") },
  WebSearch: {
    kind: "fetch",
    title: (input) => joined("Search the web for", input.quoted("query") ?? "something"),
  },
  Task: { kind: "think", title: ({ raw }) => agentTitle(raw) },
  TaskOutput: { title: () => "Read the report of a sub-agent" },
  TaskStop: { title: () => "Stop a sub-agent" },
  Skill: { title: (input) => joined("Use the skill", input.field("skill") ?? "…") },
  AskUser: { title: () => "Ask you a question" },
  ExitSpecMode: {
    kind: "switch_mode",
    title: (input) => oneLine(input.field("title") ?? "Present the plan"),
  },
  TodoWrite: { kind: "think", title: () => "Update the plan" },
  GenerateImage: { title: (input) => joined("Generate an image", input.quoted("prompt") ?? "") },
};

function toolEntry(name: string): ToolEntry | undefined {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
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

function lines({ raw, context: { firstLine } }: ToolInput): string {
  const offset = numberField(raw, "offset");
  const limit = numberField(raw, "limit");
  const from = offset === undefined ? 1 : Math.max(1, Math.trunc(offset) + 1 - firstLine);
  if (limit !== undefined && limit > 0) return `(lines ${from} to ${from + limit - 1})`;
  return from > 1 ? `(from line ${from})` : "";
}

function globs(input: JsonObject): string | undefined {
  const patterns = inputStrings(input, "patterns");
  return patterns.length === 0 ? undefined : oneLine(patterns.join(", "), 80);
}

function patched(input: JsonObject, cwd: string): string | undefined {
  const names = patchTargets(patchText(input) ?? "").map(({ path }) => displayPath(path, cwd));
  return names.length === 0 ? undefined : oneLine(names.join(", "), 120);
}

function inFolder(path: string | undefined): string {
  return path === undefined || path === "." ? "" : `in ${path}`;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

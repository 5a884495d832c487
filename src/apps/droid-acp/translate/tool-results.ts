/** The content of a tool call while it runs and once it is done, and plans. Pure and total. */
import type { ToolCallContent, UnstableSessionUpdate } from "../../../protocol/acp/index.ts";
import { type JsonObject, parseJsonObject, stringField } from "../../../base/index.ts";
import { visibleField } from "./tool-input.ts";
import { COMMAND_TOOL, QUESTION_TOOL, SPEC_TOOL } from "./tool-names.ts";

/** How many characters of a running command's output are shown: its end. The result has all of it. */
const LIVE_LIMIT = 16_384;

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** Text in a code block, even if it contains fences itself. */
export function verbatim(text: string, language = ""): ToolCallContent {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return textContent(`${fence}${language}\n${text.replace(/\n+$/, "")}\n${fence}`);
}

export function liveContent(output: string): readonly ToolCallContent[] {
  const text = output.replace(/^\n+/, "");
  if (text.trim() === "") return [];
  if (text.length <= LIVE_LIMIT) return [verbatim(text, "console")];
  return [verbatim(`…\n${wholeLines(text.slice(-LIVE_LIMIT))}`, "console")];
}

/** Drops the first, possibly cut line: the cut may also split a character. */
function wholeLines(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text.slice(1) : text.slice(end + 1);
}

const EXIT_LINE = /\n*\[Process exited with code (-?\d+)\]\s*$/;
const FAILED_LINE = /^Error: Command failed \(exit code: -?\d+\)\n/;
const UNKNOWN_TOOL = /^(?:Error: )?Unknown tool: /;

/**
 * The outcome of a call. A command with a non-zero exit code has failed. So has a call of a tool that
 * does not exist, which 0.99 does not report as an error.
 */
export function toolOutcome(
  name: string,
  input: JsonObject,
  result: { readonly content: string; readonly isError: boolean },
) {
  const exit = name === COMMAND_TOOL ? EXIT_LINE.exec(result.content)?.[1] : undefined;
  const exitCode = exit === undefined ? undefined : Number(exit);
  const failed =
    result.isError ||
    (exitCode !== undefined && exitCode !== 0) ||
    UNKNOWN_TOOL.test(result.content);
  const status = failed ? ("failed" as const) : ("completed" as const);
  const content = resultContent(name, input, result.content, failed);
  // The exit code is that of a command, if Droid reports it.
  return { status, content, exitCode };
}

function resultContent(
  name: string,
  input: JsonObject,
  result: string,
  failed: boolean,
): readonly ToolCallContent[] {
  switch (name) {
    case COMMAND_TOOL: {
      const output = commandOutput(result);
      return output.trim() === "" ? [] : [verbatim(output, "console")];
    }
    case SPEC_TOOL:
      return [
        ...specContent(input),
        ...(failed ? proseContent(result) : proseContent(specMessage(result))),
      ];
    case QUESTION_TOOL:
      return proseContent(result);
    case "Create":
    case "Edit":
    case "MultiEdit":
    case "ApplyPatch":
      // A diff shows the change; the result from Droid is only JSON.
      return failed ? proseContent(result) : [];
    case "Read":
    case "LS":
    case "Grep":
    case "Glob":
      return failed ? proseContent(result) : verbatimContent(result);
    default:
      return proseContent(result);
  }
}

/** The output of a command without the lines that Droid adds. */
export function commandOutput(result: string): string {
  return result.replace(FAILED_LINE, "").replace(EXIT_LINE, "");
}

/** The plan of spec mode, as the model wrote it. */
export function specContent(input: JsonObject): readonly ToolCallContent[] {
  const plan = visibleField(input, "plan");
  return plan === undefined ? [] : [textContent(plan)];
}

export function progressContent(lines: readonly string[]): readonly ToolCallContent[] {
  return lines.length === 0 ? [] : [textContent(lines.map((line) => `- ${line}`).join("\n"))];
}

function proseContent(text: string): readonly ToolCallContent[] {
  return text.trim() === "" ? [] : [textContent(text)];
}

function verbatimContent(text: string): readonly ToolCallContent[] {
  return text.trim() === "" ? [] : [verbatim(text)];
}

/** The result of an approved plan is a JSON object with a message. */
function specMessage(result: string): string {
  const value = parseJsonObject(result);
  return value ? (stringField(value, "message") ?? "") : result;
}

/** A session has one plan of spec mode. The next one replaces it. */
export const SPEC_PLAN_ID = "spec";

/** The user has not approved the plan of spec mode. */
export const SPEC_PLAN_REMOVED: UnstableSessionUpdate = {
  sessionUpdate: "plan_removed",
  planId: SPEC_PLAN_ID,
};

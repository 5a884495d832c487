import type { AgentTerminalState, ToolCallState } from "../../../../protocol/acp/index.ts";
import { isJsonObject, type JsonObject, sanitize, sanitizeLine } from "../../../../base/index.ts";
import type { Style } from "../terminal/style.ts";

/** How much of an output is shown: its last lines, each cut. */
export interface OutputLimits {
  readonly lines: number;
  readonly chars: number;
}

export const LAST_LINES: OutputLimits = { lines: 20, chars: 500 };
export const EVERYTHING: OutputLimits = {
  lines: Number.POSITIVE_INFINITY,
  chars: Number.POSITIVE_INFINITY,
};

/**
 * The end of an output in lines that are safe to print, after a line that says how many are missing.
 * `truncated` means that the beginning of the output is not known.
 */
export function outputLines(
  output: string,
  style: Style,
  { limits = LAST_LINES, truncated = false } = {},
): readonly string[] {
  const text = printed(output);
  if (text === "") return [];
  const lines = text.split("\n");
  const rest = lines.length - limits.lines;
  const before = `… ${truncated ? "more than " : ""}${rest} ${rest === 1 ? "line" : "lines"} before`;
  return [
    ...(rest > 0 ? [style("dim", `  ${before}`)] : []),
    ...lines.slice(Math.max(0, rest)).map((line) => style("dim", `  ${cut(line, limits.chars)}`)),
  ];
}

/** The text as a terminal would leave it: a carriage return starts the line again. */
function printed(output: string): string {
  const text = output.replace(/\r+\n/g, "\n").replace(/[^\n]*\r(?=[^\n])/g, "");
  return sanitize(text.replace(/\r/g, ""))
    .trimEnd()
    .replace(/[\t\u2028\u2029]/g, " ");
}

function cut(line: string, chars: number): string {
  return line.length > chars ? `${line.slice(0, chars)}…` : line;
}

/**
 * The text that a tool printed and the error it failed with, as far as the agent reports them. Agents
 * put them into the content, into the raw output, or into both.
 */
export function toolOutput({ content, rawOutput }: ToolCallState): string {
  const shown = content
    .flatMap((item) =>
      item.type === "content" && item.content.type === "text"
        ? [withoutFence(item.content.text)]
        : [],
    )
    .join("\n");
  const texts = isJsonObject(rawOutput)
    ? [...(shown === "" ? streams(rawOutput) : []), ...errors(rawOutput)]
    : typeof rawOutput === "string" && shown === ""
      ? [rawOutput]
      : [];
  return texts
    .map((text) => text.trimEnd())
    .reduce((all, text) => (all.includes(text) ? all : `${all}\n${text}`), shown.trimEnd())
    .replace(/^\n/, "");
}

/** The fields in which agents report the output of a command. The first group is the whole output. */
const WHOLE = ["output", "aggregated_output", "aggregatedOutput", "formatted_output", "content"];
const STREAMS = ["stdout", "stderr"];
const ERRORS = ["error", "message", "errorMessage"];
const EXIT_CODES = ["exitCode", "exit_code"];

function streams(output: JsonObject): readonly string[] {
  const whole = texts(output, WHOLE).slice(0, 1);
  return whole.length > 0 ? whole : texts(output, STREAMS);
}

function errors(output: JsonObject): readonly string[] {
  const { error } = output;
  const nested = isJsonObject(error) ? texts(error, ERRORS).slice(0, 1) : [];
  const code = EXIT_CODES.map((name) => output[name]).find((value) => typeof value === "number");
  return [
    ...nested,
    ...texts(output, ERRORS),
    ...(code === undefined || code === 0 ? [] : [`exit code ${code}`]),
  ];
}

function texts(output: JsonObject, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = output[name];
    return typeof value === "string" && value.trim() !== "" ? [value] : [];
  });
}

/** The output without the code fence around it, which some agents add for editors. */
function withoutFence(text: string): string {
  const [, inner] =
    /^\s*(?<fence>`{3,})[^\n`]*\n([^]*?)\n?\k<fence>\s*$/.exec(text)?.slice(1) ?? [];
  return inner ?? text;
}

/** How a command ended and the end of its output, in lines that are safe to print. Pure. */
export function endedTerminal(
  { exit, output, terminalId, command, truncated }: AgentTerminalState,
  style: Style,
  limits: OutputLimits = LAST_LINES,
): readonly string[] {
  const how =
    exit?.signal !== undefined
      ? `signal ${exit.signal}`
      : exit?.code === undefined
        ? "ended"
        : `exit code ${exit.code}`;
  const color = how === "ended" ? "dim" : exit?.code === 0 ? "green" : "red";
  return [
    `${sanitizeLine(command ?? terminalId)} ${style(color, `(${sanitizeLine(how)})`)}`,
    ...outputLines(output, style, { limits, truncated }),
  ];
}

/** The title of a tool call, or what it is, safe to print. */
export function toolTitle({ title, name, kind }: ToolCallState): string {
  return sanitizeLine(title === "" ? (name ?? kind) : title);
}

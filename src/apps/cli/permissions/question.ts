import { hasCode, sanitize, sanitizeLine } from "../../../base/index.ts";
import { resolve } from "node:path";
import type { PermissionChoice } from "../../../protocol/acp/index.ts";
import type { PermissionRequest, TargetCommand, TargetPath } from "../../../client/index.ts";
import { wrap, rowOf, span } from "../render/terminal/spans.ts";
import { diffLines, wholeDiff } from "../render/text/diff.ts";
import type { DiffText } from "../render/text/diff-colors.ts";
import { shownPath } from "../render/text/phrases.ts";
import type { Style } from "../render/terminal/style.ts";
import { MIB, readRegularFile } from "../shell/regular-file.ts";
import type { Asker, Dialogue } from "../tty/asker.ts";
import { showCommand } from "../../../client/rules/index.ts";

const SHOWN_DIFF_LINES = 40;
/** How much of the agent's own words is shown. More would push the targets off the screen. */
const SHOWN_PROSE_LINES = 6;
const SHOWN_PROSE_CHARS = 600;
const MIN_OPTION_COLUMNS = 20;

export interface RequestDisplay {
  readonly agent: string;
  readonly style: Style;
  /** Whether this diff is already on the user's terminal. */
  readonly hasShown: (diff: DiffText) => boolean;
  /** Shows a long text in the user's pager. Resolves with false if there is none. */
  readonly page: (text: string, signal: AbortSignal) => Promise<boolean>;
}

/**
 * Shows a request for permission with all its targets and the agent's own options, and lets the user
 * choose one; undefined if the user chose none.
 */
export async function askPermission(
  asker: Asker,
  request: PermissionRequest,
  display: RequestDisplay,
): Promise<PermissionChoice | undefined> {
  const diffs = await diffsOf(request);
  const lines = await describeRequest(request, diffs, display);
  return asker.ask(request.signal, (dialogue) =>
    choose(dialogue, request, { lines, diffs }, display),
  );
}

interface Description {
  readonly lines: readonly string[];
  readonly diffs: readonly DiffText[];
}

async function choose(
  dialogue: Dialogue,
  { options }: PermissionRequest,
  { lines, diffs }: Description,
  display: RequestDisplay,
): Promise<PermissionChoice | undefined> {
  const { columns } = dialogue.size;
  const choices = options.flatMap((option, index) => optionLines(option, index, columns, display));
  dialogue.say(...lines, ...choices);
  // With fewer than ten options, the question and its answer fit into 80 columns.
  const diffHint = diffs.length > 0 ? "d: diff, " : "";
  const prompt = `Choose 1-${options.length} (y: allow once, n: reject once, ${diffHint}Ctrl-C: cancel the turn): `;
  for (;;) {
    const line = await dialogue.line(prompt);
    if (line === undefined) return undefined;
    const typed = line.trim();
    const chosen = optionFor(typed, options);
    if (chosen !== undefined) return chosen;
    if (diffs.length > 0 && /^d(iff)?$/i.test(typed))
      await showWholeDiffs(dialogue, diffs, display);
    else dialogue.say(`Please answer with a number from 1 to ${options.length}.`);
  }
}

/** The name is the agent's own; the kind is what the option does. Long names break between words. */
function optionLines(
  { name, kind }: PermissionChoice,
  index: number,
  columns: number,
  { style }: RequestDisplay,
): readonly string[] {
  const label = `  ${index + 1}) `;
  const effect = span(`[${kind.replaceAll("_", " ")}]`, "dim");
  const width = Math.max(columns - label.length, MIN_OPTION_COLUMNS);
  const rows = wrap([span(`${sanitizeLine(name)} `), effect], width);
  return rows.map(
    (row, at) => (at === 0 ? label : " ".repeat(label.length)) + rowOf(row, style).text,
  );
}

function optionFor(
  typed: string,
  options: readonly PermissionChoice[],
): PermissionChoice | undefined {
  if (/^\d+$/.test(typed)) return options[Number(typed) - 1];
  const kind = /^y(es)?$/i.test(typed)
    ? "allow_once"
    : /^no?$/i.test(typed)
      ? "reject_once"
      : undefined;
  const matching = options.filter((option) => kind !== undefined && option.kind === kind);
  return matching.length === 1 ? matching[0] : undefined;
}

async function showWholeDiffs(
  dialogue: Dialogue,
  diffs: readonly DiffText[],
  { style, page }: RequestDisplay,
): Promise<void> {
  const lines: string[] = [];
  for (const diff of diffs) lines.push(sanitizeLine(diff.path), ...(await wholeDiff(diff, style)));
  if (!(await page(`${lines.join("\n")}\n`, dialogue.signal))) dialogue.say(...lines);
}

/** The changes to files that a request would make. */
async function diffsOf({ subject, toolCall }: PermissionRequest): Promise<readonly DiffText[]> {
  if (subject.type === "write_file") {
    const { path, content } = subject;
    return [{ path, oldText: await currentText(path), newText: content }];
  }
  return toolCall?.content.flatMap((item) => (item.type === "diff" ? [item] : [])) ?? [];
}

/** More than this is not compared: the question then shows the new text as a whole. */
const MAX_COMPARED_BYTES = 16 * MIB;

/** The text of a file before a write; undefined if there is no file yet. */
async function currentText(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path, MAX_COMPARED_BYTES)).toString("utf8");
  } catch (error) {
    return hasCode(error, "ENOENT") ? undefined : "";
  }
}

/**
 * Describes a request in lines that are safe to print. They name every target that permission covers:
 * nothing of a command, its folder and its variables is left out.
 */
async function describeRequest(
  request: PermissionRequest,
  diffs: readonly DiffText[],
  display: RequestDisplay,
): Promise<readonly string[]> {
  const { agent, style } = display;
  const { subject, toolCall, kind, session, targets } = request;
  const cwd = session.roots[0] ?? "/";
  const head = (what: string): string =>
    style("yellow", `${sanitizeLine(agent)} asks for permission: ${sanitizeLine(what)}`);
  switch (subject.type) {
    case "read_file":
      return [head(`read ${shownPath(subject.path, cwd)}`)];
    case "write_file": {
      const isNew = diffs.every(({ oldText }) => oldText === undefined);
      return [
        head(`${isNew ? "create" : "write"} ${shownPath(subject.path, cwd)}`),
        ...(await diffsLines(diffs, cwd, display)),
      ];
    }
    case "terminal":
      return [head("run a command"), ...targets.commands.flatMap(commandLines)];
    case "tool_call": {
      const title = toolCall === undefined || toolCall.title === "" ? "(no title)" : toolCall.title;
      const withDiff = new Set(diffs.map(({ path }) => resolve(cwd, path)));
      const commands = kind === "execute" ? targets.commands : [];
      return [
        `${head(title)} ${style("dim", `[${kind}]`)}`,
        ...proseLines(request, title),
        ...commands.flatMap(commandLines),
        ...targets.paths
          .filter((target) => !withDiff.has(target.path) || isElsewhere(target))
          .map((target) => `  path: ${shownPath(target.path, cwd)}${whereIs(target)}`),
        ...(targets.isComplete ? [] : ["  … and more paths, which this permission does not cover"]),
        ...(await diffsLines(diffs, cwd, display)),
      ];
    }
  }
}

/**
 * The question in the agent's own words, each line marked as such: it may say anything, and cannot look
 * like one of the targets, which follow it.
 */
function proseLines(
  { question = "", description = "" }: PermissionRequest,
  title: string,
): readonly string[] {
  const text = [question === title ? "" : question, description].join("\n").trim();
  if (text === "") return [];
  const cut = text.slice(0, SHOWN_PROSE_CHARS);
  const lines = sanitize(cut).split("\n");
  const isCut = cut.length < text.length || lines.length > SHOWN_PROSE_LINES;
  const shown = lines.slice(0, SHOWN_PROSE_LINES).map((line) => `  | ${sanitizeLine(line)}`);
  return isCut ? [...shown, "  | …"] : shown;
}

/** Whether the work would happen at another place than the request says. */
function isElsewhere({ path, realPath, isInside }: TargetPath): boolean {
  return !isInside || realPath !== path;
}

/** The real place of a target, if it differs from the place that the request names. */
function whereIs({ path, realPath, isInside }: TargetPath): string {
  const real = realPath !== undefined && realPath !== path ? ` -> ${sanitizeLine(realPath)}` : "";
  return `${real}${isInside ? "" : " (outside the workspace)"}`;
}

function commandLines({ line, words, cwd, env }: TargetCommand): string[] {
  const lines = sanitize(showCommand(words ?? line ?? "")).split("\n");
  return [
    ...lines.map((text, index) => `  ${index === 0 ? "$" : ">"} ${text}`),
    `  in ${sanitizeLine(cwd.path)}${whereIs(cwd)}`,
    ...Object.entries(env).map(([name, value]) => `  with ${sanitizeLine(`${name}=${value}`)}`),
  ];
}

async function diffsLines(
  diffs: readonly DiffText[],
  cwd: string,
  { style, hasShown }: RequestDisplay,
): Promise<string[]> {
  const out: string[] = [];
  for (const diff of diffs) {
    const { added, removed, lines } = await diffLines(diff, style, SHOWN_DIFF_LINES);
    const head = `  ${shownPath(diff.path, cwd)} +${added} -${removed}`;
    if (hasShown(diff)) out.push(`${head}, as shown above`);
    else out.push(head, ...lines.map((line) => `  ${line}`));
  }
  return out;
}

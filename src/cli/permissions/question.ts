import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { PermissionRequest } from "../../client/index.ts";
import { diffLines, type DiffText } from "../render/text/diff.ts";
import { shownPath } from "../render/paths.ts";
import { sanitise, sanitiseLine } from "../render/terminal/sanitise.ts";
import type { Style } from "../render/terminal/style.ts";
import type { Asker, Dialogue } from "../tty/asker.ts";
import { queryOf, showCommand } from "./rule-query.ts";

const SHOWN_DIFF_LINES = 40;
const SHOWN_COMMAND_LINES = 20;

/** How to show a request. */
export interface RequestDisplay {
  readonly agent: string;
  readonly style: Style;
  /** Whether this diff is already on the user's terminal. */
  readonly hasShown: (diff: DiffText) => boolean;
}

/**
 * Shows a request for permission with its details and the agent's own options, and lets the user
 * choose. Resolves with the id of the chosen option; undefined if the user chose none.
 */
export async function askPermission(
  asker: Asker,
  request: PermissionRequest,
  display: RequestDisplay,
): Promise<string | undefined> {
  const lines = await describeRequest(request, display);
  return asker.ask(request.signal, (dialogue) => choose(dialogue, request, lines));
}

async function choose(
  dialogue: Dialogue,
  { options }: PermissionRequest,
  lines: readonly string[],
): Promise<string | undefined> {
  dialogue.say(...lines);
  options.forEach(({ name }, index) => dialogue.say(`  ${index + 1}) ${sanitiseLine(name)}`));
  const read = (line: string): string | undefined => {
    if (/^\d+$/.test(line)) return options[Number(line) - 1]?.optionId;
    const kind = /^y(es)?$/i.test(line)
      ? "allow_once"
      : /^no?$/i.test(line)
        ? "reject_once"
        : undefined;
    const matching = options.filter((option) => kind !== undefined && option.kind === kind);
    return matching.length === 1 ? matching[0]?.optionId : undefined;
  };
  const prompt = `Choose 1-${options.length} (y: allow once, n: reject once, Ctrl-C: cancel the turn): `;
  return dialogue.until(prompt, read, `Please answer with a number from 1 to ${options.length}.`);
}

/** Describes a request in lines that are safe to print. */
async function describeRequest(
  request: PermissionRequest,
  display: RequestDisplay,
): Promise<readonly string[]> {
  const { agent, style } = display;
  const { subject, toolCall, kind, session } = request;
  const cwd = session.roots[0] ?? "/";
  const head = (what: string): string =>
    style("yellow", `${sanitiseLine(agent)} asks for permission: ${sanitiseLine(what)}`);
  switch (subject.type) {
    case "read_file":
      return [head(`read ${shownPath(subject.path, cwd)}`)];
    case "write_file": {
      const { path, content } = subject;
      const found = await stat(path).catch(() => undefined);
      const oldText = found?.isFile() === true ? await readFile(path, "utf8") : undefined;
      return [
        head(`${found === undefined ? "create" : "write"} ${shownPath(path, cwd)}`),
        ...(await diffsLines([{ path, oldText, newText: content }], cwd, display)),
      ];
    }
    case "terminal": {
      const { command, args, cwd } = subject;
      const line = showCommand(args.length > 0 ? [command, ...args] : command);
      return [head("run a command"), ...commandLines(line), `  in ${sanitiseLine(cwd)}`];
    }
    case "tool_call": {
      const title = toolCall === undefined || toolCall.title === "" ? "(no title)" : toolCall.title;
      const { command, paths } = queryOf(request);
      const diffs = toolCall?.content.flatMap((item) => (item.type === "diff" ? [item] : [])) ?? [];
      const withDiff = new Set(diffs.map(({ path }) => resolve(cwd, path)));
      return [
        `${head(title)} ${style("dim", `[${kind}]`)}`,
        ...(command === undefined ? [] : commandLines(showCommand(command))),
        ...paths
          .filter((path) => !withDiff.has(path))
          .map((path) => `  path: ${shownPath(path, cwd)}`),
        ...(await diffsLines(diffs, cwd, display)),
      ];
    }
  }
}

function commandLines(command: string): string[] {
  const lines = sanitise(command).split("\n");
  const rest = lines.length - SHOWN_COMMAND_LINES;
  const shown = lines
    .slice(0, SHOWN_COMMAND_LINES)
    .map((line, index) => `  ${index === 0 ? "$" : ">"} ${line}`);
  return rest > 0 ? [...shown, `  … ${rest} more lines`] : shown;
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

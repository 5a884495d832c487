import type { Session } from "../../../../client/index.ts";
import type { ToolCallState } from "../../../../protocol/acp/index.ts";
import { shownPath } from "../../render/text/phrases.ts";
import type { DiffText } from "../../render/text/diff-colors.ts";
import { wholeDiff } from "../../render/text/diff.ts";
import type { Style } from "../../render/terminal/style.ts";

interface SessionChanges {
  readonly diffs: readonly DiffText[];
  /** How many of the oldest tool calls are not kept anymore, so that their changes are missing. */
  readonly missing: number;
}

/** The changes to files that were made, as far as the agent reported them. Pure. */
export function changesOf(session: Pick<Session, "toolCalls">): SessionChanges {
  const diffs: DiffText[] = [];
  let missing = 0;
  for (const call of session.toolCalls.values()) {
    if (call.status !== "completed") continue;
    if (call.trimmed === true && isEdit(call)) missing++;
    for (const item of call.content) {
      if (item.type === "diff") add(diffs, item);
    }
  }
  return { diffs: diffs.filter(({ oldText, newText }) => (oldText ?? "") !== newText), missing };
}

function isEdit({ kind }: ToolCallState): boolean {
  return kind === "edit" || kind === "delete" || kind === "move";
}

function add(diffs: DiffText[], { path, oldText, newText }: DiffText): void {
  // Agents send the whole file or only the part that changes. Parts cannot be joined.
  const at = diffs.findLastIndex((diff) => diff.path === path);
  const last = diffs[at];
  if (last !== undefined && last.newText === (oldText ?? ""))
    diffs[at] = { path, oldText: last.oldText, newText };
  else diffs.push({ path, oldText, newText });
}

export async function changeLines(
  { diffs, missing }: SessionChanges,
  cwd: string,
  style: Style,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const diff of diffs) {
    const isNew = diff.oldText === undefined || diff.oldText === null;
    lines.push(style("bold", `${shownPath(diff.path, cwd)}${isNew ? " (new)" : ""}`));
    for (const line of await wholeDiff(diff, style)) lines.push(`  ${line}`);
  }
  if (missing > 0) lines.push(`… and ${missing} earlier changes, which are not kept anymore`);
  return lines.length === 0 ? ["the agent has reported no changes in this session"] : lines;
}

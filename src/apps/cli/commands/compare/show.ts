import { columnsOf } from "../../render/terminal/columns.ts";
import { wrapWords } from "../../render/terminal/spans.ts";
import { sanitize, sanitizeLine } from "../../../../base/index.ts";
import type { Style, StyleName, TextView } from "../../render/terminal/style.ts";
import { type Columns, listText } from "../../render/text/table.ts";
import type { ExitCode, ExitName, FailureDetails } from "../../shell/exit.ts";
import type { UsageFacts } from "../../render/renderer.ts";
import type { Changes } from "./worktree.ts";

/** The outcome of one agent, as `-o events` prints it. */
export interface Compared extends Omit<Changes, "patch"> {
  readonly agent: string;
  readonly ok: boolean;
  readonly exitCode: ExitCode;
  readonly text: string;
  readonly truncated: true | undefined;
  readonly stopReason: string | null;
  /** From the start of the agent to the end of its turn. */
  readonly durationMs: number;
  readonly usage: UsageFacts | null;
  readonly toolCalls: number;
  readonly denied: number;
  readonly error: (FailureDetails & { readonly kind: ExitName }) | null;
}

/** The least width of a column. With less, the agents are shown one below the other. */
const MIN_COLUMN = 36;
const BETWEEN = " │ ";

/**
 * The outcomes as text: a table, the answers, and the changes. On a terminal that is wide enough, the
 * answers and the changes are next to each other. Elsewhere the answers are exactly as the agents sent
 * them. Pure.
 */
export function comparisonText(all: readonly Compared[], { columns, style }: TextView): string {
  const width =
    columns === undefined
      ? 0
      : Math.floor((columns - BETWEEN.length * (all.length - 1)) / all.length);
  const isTerminal = columns !== undefined;
  const heads = all.map(({ agent }) => sanitizeLine(agent));
  const answers = all.map((one) => answerLines(one, isTerminal));
  const changes = all.map((one) => changeLines(one, isTerminal));
  const parts = [listText(all, COLUMNS, columns)];
  for (const cells of [answers, changes]) {
    const isChanges = cells === changes;
    if (isChanges && all.every(({ files }) => files.length === 0)) continue;
    const title = isChanges ? "changes" : "answer";
    const paint = isChanges ? diffStyle : () => undefined;
    parts.push(
      width >= MIN_COLUMN
        ? sideBySide(
            heads.map((head) => `${head}: ${title}`),
            cells,
            width,
            style,
            paint,
          )
        : stacked(heads, title, cells, style, paint),
    );
  }
  return parts.join("\n");
}

/** How a run ended, in words: `cannotStart` becomes "cannot start". */
function outcome({ ok, stopReason, error }: Compared): string {
  if (ok) return stopReason === null || stopReason === "end_turn" ? "done" : words(stopReason);
  return words(error?.kind ?? "failed");
}

function words(name: string): string {
  return name.replaceAll(/_|(?=[A-Z])/g, " ").toLowerCase();
}

const COLUMNS: Columns<Compared> = {
  AGENT: "agent",
  RESULT: outcome,
  TIME: ({ durationMs }) => `${(durationMs / 1000).toFixed(1)} s`,
  TOKENS: ({ usage }) => usage?.used ?? "-",
  COST: ({ usage }) => (usage?.cost ? `${usage.cost.amount} ${usage.cost.currency}` : "-"),
  TOOLS: "toolCalls",
  FILES: ({ files }) => files.length,
  LINES: (one) => `+${sum(one, "added")} -${sum(one, "removed")}`,
};

function sum({ files }: Compared, side: "added" | "removed"): number {
  return files.reduce((total, file) => total + (file[side] ?? 0), 0);
}

function answerLines({ text, error }: Compared, isTerminal: boolean): readonly string[] {
  const failure = error === null ? [] : [`failed: ${sanitizeLine(error.what)}`];
  const answer = text === "" ? [] : (isTerminal ? sanitize(text) : text).trimEnd().split("\n");
  return answer.length + failure.length === 0 ? ["(no answer)"] : [...answer, ...failure];
}

function changeLines(
  { files, diff, diffTruncated }: Compared,
  isTerminal: boolean,
): readonly string[] {
  if (files.length === 0) return ["(no changes)"];
  const list = files.map(({ path, added, removed }) => {
    const lines = added === undefined ? "binary" : `+${added} -${removed ?? 0}`;
    return `${sanitizeLine(path)} (${lines})`;
  });
  const text = (isTerminal ? sanitize(diff) : diff).trimEnd().split("\n");
  return [...list, "", ...text, ...(diffTruncated ? ["(the rest is not shown)"] : [])];
}

/** Diffs have colors, answers do not. */
type Paint = (line: string) => StyleName | undefined;

function diffStyle(line: string): StyleName | undefined {
  if (/^(?:\+\+\+|---|diff |index |new file|deleted file)/.test(line)) return "dim";
  if (line.startsWith("@@")) return "cyan";
  if (line.startsWith("+")) return "green";
  return line.startsWith("-") ? "red" : undefined;
}

function stacked(
  heads: readonly string[],
  title: string,
  cells: readonly (readonly string[])[],
  style: Style,
  paint: Paint,
): string {
  return cells
    .map((lines, index) => {
      const body = lines.map((line) => painted(line, paint(line), style));
      return [style("bold", `== ${heads[index]}: ${title}`), ...body, ""].join("\n");
    })
    .join("\n");
}

function sideBySide(
  heads: readonly string[],
  cells: readonly (readonly string[])[],
  width: number,
  style: Style,
  paint: Paint,
): string {
  const columns = cells.map((lines, index) => [
    ...wrapWords(heads[index] ?? "", width).map((text) => ({ text, name: "bold" as const })),
    ...lines.flatMap((line) => wrapWords(line, width).map((text) => ({ text, name: paint(line) }))),
  ]);
  const height = Math.max(...columns.map(({ length }) => length));
  const rows = Array.from({ length: height }, (_, row) =>
    columns
      .map((column) => {
        const { text = "", name } = column[row] ?? {};
        return painted(text, name, style) + " ".repeat(Math.max(0, width - columnsOf(text)));
      })
      .join(BETWEEN)
      .trimEnd(),
  );
  return `${rows.join("\n")}\n`;
}

function painted(text: string, name: StyleName | undefined, style: Style): string {
  return name === undefined || text === "" ? text : style(name, text);
}

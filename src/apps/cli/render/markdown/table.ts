import type { Tokens } from "../../../../base/markdown/index.ts";
import { columnsOfSpans, type Row, rowOf, type TextSpan, span, wrap } from "../terminal/spans.ts";
import type { Style } from "../terminal/style.ts";
import { type InlineLook, inlineSpans } from "./inline.ts";

const SEPARATOR = " │ ";
const MIN_COLUMN = 6;

type Align = Tokens.Table["align"][number];

/** A table in aligned columns. Cells are wrapped if it is wider than `width`. */
export function tableRows(
  { header, rows, align }: Tokens.Table,
  width: number,
  look: InlineLook & { readonly style: Style },
): readonly Row[] {
  const heads = header.map(({ tokens }) => inlineSpans(tokens, look, look.styled ? ["bold"] : []));
  const body = rows.map((cells) => cells.map(({ tokens }) => inlineSpans(tokens, look)));
  const widths = columnWidths([heads, ...body], width - SEPARATOR.length * (heads.length - 1));
  if (widths === undefined) return records(heads, body, width, look.style);
  const line = rule(widths, look.style);
  const shown = body.map((cells) => lines(cells, widths, align, look.style));
  const isWrapped = shown.some((one) => one.length > 1);
  return [
    ...lines(heads, widths, align, look.style),
    line,
    ...shown.flatMap((one, index) => (isWrapped && index > 0 ? [line, ...one] : one)),
  ];
}

/** The widths of the columns, the wide ones narrowed until all fit; undefined if there are too many. */
export function columnWidths(
  rows: readonly (readonly (readonly TextSpan[])[])[],
  available: number,
): readonly number[] | undefined {
  const count = rows[0]?.length ?? 0;
  const natural = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...rows.map((cells) => columnsOfSpans(cells[column] ?? []))),
  );
  if (sum(natural) <= available) return natural;
  // Narrow columns keep their width, and the others share the rest.
  const widths = natural.slice();
  let room = available;
  let left = count;
  for (const [column, columns] of [...natural.entries()].toSorted(([, a], [, b]) => a - b)) {
    const share = Math.floor(room / left);
    widths[column] = Math.min(columns, share);
    if (share < Math.min(columns, MIN_COLUMN)) return undefined;
    room -= widths[column];
    left--;
  }
  return widths;
}

/** One row of the table, which takes several rows of the terminal if a cell is wrapped. */
function lines(
  cells: readonly (readonly TextSpan[])[],
  widths: readonly number[],
  align: readonly Align[],
  style: Style,
): readonly Row[] {
  const wrapped = widths.map((width, column) => wrap(cells[column] ?? [], width));
  const height = Math.max(...wrapped.map((one) => one.length));
  return Array.from({ length: height }, (_, line) =>
    rowOf(
      widths.flatMap((width, column) => {
        const isLast = column === widths.length - 1;
        const cell = wrapped[column]?.[line] ?? [];
        const padded = pad(cell, width, align[column] ?? null, isLast);
        return isLast ? padded : [...padded, span(SEPARATOR, "dim")];
      }),
      style,
    ),
  );
}

function pad(
  cell: readonly TextSpan[],
  width: number,
  align: Align,
  isLast: boolean,
): readonly TextSpan[] {
  const free = Math.max(0, width - columnsOfSpans(cell));
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  const after = isLast ? 0 : free - before;
  return [span(" ".repeat(before)), ...cell, span(" ".repeat(after))];
}

function rule(widths: readonly number[], style: Style): Row {
  return rowOf([span(widths.map((width) => "─".repeat(width)).join("─┼─"), "dim")], style);
}

/** Each row as a list of its cells with their heads, for tables that do not fit. */
function records(
  heads: readonly (readonly TextSpan[])[],
  body: readonly (readonly (readonly TextSpan[])[])[],
  width: number,
  style: Style,
): readonly Row[] {
  return body.flatMap((cells, index) => [
    ...(index > 0 ? [rowOf([span("─".repeat(Math.min(width, 10)), "dim")], style)] : []),
    ...cells.flatMap((cell, column) =>
      wrap([...(heads[column] ?? []), span(": "), ...cell], width).map((row) => rowOf(row, style)),
    ),
  ]);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

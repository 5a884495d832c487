import { columnsOf } from "../terminal/columns.ts";
import { sanitiseLine } from "../terminal/sanitise.ts";

/** Rows in aligned columns, made safe for a terminal. The last column is not padded. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const safe = [head, ...rows].map((row) => row.map(sanitiseLine));
  const widths = head.map((_, column) =>
    Math.max(...safe.map((row) => columnsOf(row[column] ?? ""))),
  );
  return safe
    .map((row) => {
      const cells = row.map((cell, column) =>
        column === row.length - 1 ? cell : padded(cell, widths[column] ?? 0),
      );
      return `${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
}

/** Unlike `padEnd`, this counts terminal columns: a CJK character takes two. */
function padded(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - columnsOf(cell)));
}

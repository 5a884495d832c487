import { sanitiseLine } from "../terminal/sanitise.ts";

/** Rows in aligned columns, made safe for a terminal; the last column runs free. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const safe = [head, ...rows].map((row) => row.map(sanitiseLine));
  const widths = head.map((_, column) => Math.max(...safe.map((row) => row[column]?.length ?? 0)));
  return safe
    .map((row) => {
      const cells = row.map((cell, column) =>
        column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0),
      );
      return `${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
}

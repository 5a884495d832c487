/** How many rows of a terminal a row of text takes. */
export function heightOf(columnsOfRow: number, width: number): number {
  return Math.max(1, Math.ceil(columnsOfRow / width));
}

/** Moves the cursor up. */
export function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : "";
}

/** Moves the cursor down. */
export function down(rows: number): string {
  return rows > 0 ? `\u001b[${rows}B` : "";
}

/** Moves the cursor to the right. */
export function right(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : "";
}

import type { OutputMode } from "../../shell/values.ts";
import { eventLine } from "../json/events.ts";
import type { Renderer } from "../renderer.ts";
import type { Screen } from "../terminal/screen.ts";
import { table } from "./table.ts";

/** The columns of a list by their heads: each a field of the items, or made from an item. */
export type Columns<T> = Readonly<
  Record<string, keyof T | ((item: T) => string | number | undefined)>
>;

/** A table with a row for each item. `width` is that of the terminal; without one, rows are not broken. */
export function listText<T>(items: readonly T[], columns: Columns<T>, width?: number): string {
  const cells = Object.values(columns);
  const rows = items.map((item) =>
    cells.map((cell) => String((typeof cell === "function" ? cell(item) : item[cell]) ?? "")),
  );
  return table(Object.keys(columns), rows, width);
}

/** The same below other text; nothing without items. */
export function listBelow<T>(items: readonly T[], columns: Columns<T>): string {
  return items.length === 0 ? "" : `\n${listText(items, columns)}`;
}

/** Where a list is printed. */
interface ListOutput {
  readonly mode: OutputMode;
  readonly renderer: Pick<Renderer, "note">;
  readonly screen: Pick<Screen, "json" | "answer" | "drained">;
}

/** Prints items: as events for programs; for people as text, or a note if there are none. */
export async function printItems(
  { mode, renderer, screen }: ListOutput,
  items: readonly object[],
  as: { readonly event: string; readonly none: string; readonly text: () => string },
): Promise<void> {
  if (mode === "events") for (const item of items) screen.json(eventLine(as.event, item));
  else if (items.length === 0) renderer.note(as.none);
  else screen.answer(as.text());
  await screen.drained();
}

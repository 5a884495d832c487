import { readFile, writeFile } from "node:fs/promises";

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. Throws if the page has no such section. */
export function replaceSection(page: string, name: string, text: string): string {
  const opening = `<!-- ${name} -->`;
  const closing = `<!-- /${name} -->`;
  const start = page.indexOf(opening);
  const end = page.indexOf(closing);
  if (start < 0 || end < start) throw new Error(`the page has no section "${name}"`);
  return `${page.slice(0, start + opening.length)}\n\n${text}\n\n${page.slice(end)}`;
}

/** Writes a section of docs/interop.md. */
export async function writeInteropSection(name: string, text: string): Promise<void> {
  const page = new URL("../../docs/interop.md", import.meta.url);
  await writeFile(page, replaceSection(await readFile(page, "utf8"), name, text));
}

/** One row of a Markdown table. */
function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** A Markdown table with a row of headings. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => "---"), ...rows].map(tableRow).join("\n");
}

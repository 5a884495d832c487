// docs/v2.md lists every loss of a translation. `vitest run test/docs.v2.test.ts -u` writes the table.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { V2_LOSSES, V2_SCHEMA_VERSION } from "../src/protocol/translator/index.ts";

const FILE = "../docs/v2.md";
const docs = await readFile(new URL(FILE, import.meta.url), "utf8");

/** A Markdown table as the formatter writes it. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...body.map(line)].join("\n");
}

it("docs/v2.md lists every loss", async () => {
  const rows = V2_LOSSES.map(({ id, to, sent, received }) => [`\`${id}\``, to, sent, received]);
  const losses = table([["Loss", "To", "Sent", "Received instead"], ...rows]);
  const marked = /(?<=<!-- losses -->\n)[^]*(?=<!-- \/losses -->)/;
  expect(docs).toMatch(marked);
  await expect(docs.replace(marked, `\n${losses}\n\n`)).toMatchFileSnapshot(FILE);
});

it("docs/v2.md names the schema that Dragoman follows", () => {
  expect(docs).toContain(`release ${V2_SCHEMA_VERSION} of the official SDK`);
});

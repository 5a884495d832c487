import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { requirementsReference } from "../../../../src/apps/cli/commands/check/requirements.ts";
import { cliReference, manPage } from "../../../../src/apps/cli/commands/reference.ts";

/** The text without the alignment of its tables. */
const plain = (text: string): string => text.replace(/ +/g, " ").replace(/-{3,}/g, "---").trim();

const parts = [
  ...Object.entries(cliReference(GRAMMAR)).map((part) => ["cli.md", ...part] as const),
  ...Object.entries(requirementsReference()).map((part) => ["check.md", ...part] as const),
];

it.each(parts)("docs/%s has the current %s; npm run docs writes them", async (file, name, text) => {
  const page = await readFile(new URL(`../../../../docs/${file}`, import.meta.url), "utf8");
  const place = new RegExp(`<!-- ${name}: .*? -->\n([^]*?)\n<!-- end of ${name} -->`);
  expect(plain(place.exec(page)?.[1] ?? "")).toBe(plain(text));
});

it("man/dragoman.1 matches the table of options", async () => {
  await expect(manPage(GRAMMAR)).toMatchFileSnapshot("../../../../man/dragoman.1");
});

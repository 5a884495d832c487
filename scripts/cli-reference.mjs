// @ts-check
// Writes the tables of flags and settings in docs/cli.md from those in the sources.
// Usage: npm run docs:cli
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fromSource } from "./from-source.mjs";
import { root, step, tool } from "./run.mjs";

const file = join(root, "docs/cli.md");
const { cliReference } = await fromSource("src/cli/reference.ts");
let page = await readFile(file, "utf8");
for (const [name, text] of Object.entries(cliReference())) {
  const place = new RegExp(`(<!-- ${name}: .*? -->\n)[^]*?(\n<!-- end of ${name} -->)`);
  if (!place.test(page)) throw new Error(`docs/cli.md has no place for ${name}`);
  page = page.replace(place, (_, before, after) => `${before}\n${text}\n${after}`);
}
await writeFile(file, page);
step("format", [tool.oxfmt, "docs/cli.md"]);

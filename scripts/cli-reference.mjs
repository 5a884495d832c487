// @ts-check
// Writes the tables of flags and settings in docs/cli.md and of requirements in docs/check.md from those
// in the sources.
// Usage: npm run docs -- cli
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fromSource } from "./from-source.mjs";
import { root, step, tool } from "./run.mjs";

const { cliReference } = await fromSource("src/apps/cli/commands/reference.ts");
const { GRAMMAR } = await fromSource("src/apps/cli/commands/grammar.ts");
const { requirementsReference } = await fromSource("src/apps/cli/commands/check/requirements.ts");

await fill("docs/cli.md", cliReference(GRAMMAR));
await fill("docs/check.md", requirementsReference());

/**
 * Writes texts to the places with their names in a page.
 * @param {string} name the page
 * @param {Readonly<Record<string, string>>} texts
 */
async function fill(name, texts) {
  const file = join(root, name);
  let page = await readFile(file, "utf8");
  for (const [place, text] of Object.entries(texts)) {
    const pattern = new RegExp(`(<!-- ${place}: .*? -->\n)[^]*?(\n<!-- end of ${place} -->)`);
    if (!pattern.test(page)) throw new Error(`${name} has no place for ${place}`);
    page = page.replace(pattern, (_, before, after) => `${before}\n${text}\n${after}`);
  }
  await writeFile(file, page);
  step("format", [tool.oxfmt, name]);
}

import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { cliReference } from "../../src/cli/reference.ts";

const page = await readFile(new URL("../../docs/cli.md", import.meta.url), "utf8");

/** The text without the alignment of its tables. */
const plain = (text: string): string => text.replace(/ +/g, " ").replace(/-{3,}/g, "---").trim();

it.each(Object.entries(cliReference()))(
  "docs/cli.md has the current %s; npm run docs:cli writes them",
  (name, text) => {
    const place = new RegExp(`<!-- ${name}: .*? -->\n([^]*?)\n<!-- end of ${name} -->`);
    expect(plain(place.exec(page)?.[1] ?? "")).toBe(plain(text));
  },
);

// The cookbook shows the programs of examples/ as they are. `npm run docs -- samples` copies them into the page.
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { anchorsOf, relativeLinks } from "./support/links.ts";

const page = await readFile(new URL("../docs/cookbook.md", import.meta.url), "utf8");
const shown = /(\]\(\.\.\/(examples\/[\w.-]+)\):\n\n```\w+\n)[^]*?^(?=```$)/gm;

it("the cookbook has every program of examples/, unchanged", async () => {
  const names = (await readdir(new URL("../examples", import.meta.url)))
    .filter((name) => name.includes("."))
    .map((name) => `examples/${name}`);
  expect(new Set([...page.matchAll(shown)].map(([, , name]) => name))).toEqual(new Set(names));
  const texts = new Map(
    await Promise.all(
      names.map(
        async (name) =>
          [name, await readFile(new URL(`../${name}`, import.meta.url), "utf8")] as const,
      ),
    ),
  );
  const current = page.replaceAll(
    shown,
    (_, before: string, name: string) => `${before}${texts.get(name)}`,
  );
  await expect(current).toMatchFileSnapshot("../docs/cookbook.md");
});

it("its list of contents names every section", () => {
  const [contents = ""] = page.split(/^## /m);
  const listed = relativeLinks("docs/cookbook.md", contents).flatMap(({ anchor }) => anchor ?? []);
  expect(["cookbook", ...listed]).toEqual([...anchorsOf(page)]);
});

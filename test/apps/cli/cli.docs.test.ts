import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { CATALOGUE, commandShown } from "../../../src/apps/cli/agents/catalogue.ts";
import { GRAMMAR } from "../../../src/apps/cli/commands/grammar.ts";
import { EXIT, EXIT_MEANINGS } from "../../../src/apps/cli/shell/exit.ts";

const root = new URL("../../../", import.meta.url);
const docs = await readFile(new URL("docs/cli.md", root), "utf8");
const readme = await readFile(new URL("README.md", root), "utf8");

it("docs/cli.md lists the program's exit codes, and each has a meaning", () => {
  expect(new Set(EXIT_MEANINGS.map(([code]) => code))).toEqual(new Set(Object.values(EXIT)));
  const rows = [...docs.matchAll(/^\| (\d+) +\| (.*?) +\|$/gm)].map(([, code, text]) => [
    Number(code),
    text,
  ]);
  expect(rows).toEqual(EXIT_MEANINGS);
});

it("docs/cli.md describes every event that the program writes", async () => {
  const folder = new URL("src/apps/cli/", root);
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  const events = await readFile(new URL("render/json/events.ts", folder), "utf8");
  const types = [
    ...events.matchAll(/(?:(?<!Renderer)\["|#emit\(")([a-z_]+)"/g),
    ...texts.join("").matchAll(/eventLine\("([a-z_]+)"/g),
  ].map(([, type]) => type);
  expect(new Set(types).size).toBeGreaterThan(20);
  for (const type of new Set(types)) expect(docs).toContain(`| \`${type}\``);
});

it("the README lists every flag and command", () => {
  for (const { name, short, group } of GRAMMAR.options) {
    if (group === "Replay" || group === "General" || name === "all") continue;
    const spelled =
      readme.includes(`\`--${name}`) || (short !== undefined && readme.includes(`\`-${short}`));
    expect(spelled, name).toBe(true);
  }
  for (const { name } of GRAMMAR.commands) expect(readme).toContain(`\`${name}`);
});

it("docs/cli.md lists the whole catalogue", () => {
  const rows = [
    ...docs.matchAll(/^\| `([a-z-]+)` +\| (.*?) +\| `(.*?)` +\| (.*?) *\| (.*?) *\|$/gm),
  ].map(([, ...cells]) => cells);
  expect(rows).toEqual(
    CATALOGUE.map((entry) => [
      entry.name,
      entry.title,
      commandShown(entry),
      entry.signIn ?? "",
      entry.tried ?? "",
    ]),
  );
});

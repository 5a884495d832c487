import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readText, search, searchQuery } from "../../../src/apps/demo-agent/search.ts";
import { useOrchard, writeFiles } from "./orchard.ts";
import { overviewOf } from "../../../src/apps/demo-agent/overview.ts";

const neverAborted = new AbortController().signal;

/** Runs the work in a folder with these files. */
async function within<T>(
  files: Record<string, string>,
  work: (root: string) => Promise<T>,
): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), "dragoman-search-"));
  try {
    await writeFiles(root, files);
    return await work(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

describe("a question", () => {
  it.each([
    ["what does this project do?", [], true],
    ["", [], true],
    ["where is the dialect detected", ["dialect", "detect"], false],
    ["tell me about sessions", ["session"], true],
    ["Größe größe", ["größe"], false],
    ["a b c d ee ff gg hh ii jj kk ll", ["ee", "ff", "gg", "hh", "ii", "jj", "kk", "ll"], false],
  ])("%j searches for %j", (prompt, words, aboutProject) => {
    expect(searchQuery(prompt)).toEqual({ words, aboutProject });
  });
});

describe("the score of a line", () => {
  it("is higher for whole words, headings, declarations and file names with a word", async () => {
    const best = async (text: string, name = "a.ts"): Promise<number> => {
      const { hits } = await within({ [name]: text }, (root) =>
        search(root, ["peer"], 1, neverAborted),
      );
      return hits[0]?.score ?? 0;
    };
    const plain = await best("the peer is");
    expect(plain).toBeGreaterThan(await best("the peers is"));
    expect(await best("## Peer")).toBeGreaterThan(plain);
    expect(await best("export class Peer {")).toBeGreaterThan(plain);
    expect(await best("the peer", "peer.ts")).toBeGreaterThan(plain);
    expect(await best("the peer", "x/y/z/a.ts")).toBeLessThan(plain);
    expect(await best("nothing here")).toBe(0);
  });
});

describe("a search", () => {
  let orchard = "";
  useOrchard((root) => (orchard = root));

  it("skips ignored, binary, huge and linked files", async () => {
    const found = await search(orchard, ["ladder"], 10, neverAborted);
    expect(found.hits.map(({ name, line }) => `${name}:${line}`)).toEqual([
      "src/ladder.ts:1",
      "README.md:7",
      "src/basket.ts:1",
    ]);
    expect(found.cut).toBe(false);
  });

  it("skips the .git of a worktree, which is a file", async () => {
    await writeFile(join(orchard, "src/.git"), "gitdir: /elsewhere/ladder\n");
    const found = await search(orchard, ["elsewhere"], 10, neverAborted);
    expect(found.hits).toEqual([]);
  });

  it("stops at its limits, and when it is aborted", async () => {
    const limits = { files: 2, ms: 60_000 };
    expect((await search(orchard, ["ladder"], 10, neverAborted, limits)).cut).toBe(true);
    const late = { files: 100, ms: -1 };
    expect((await search(orchard, ["ladder"], 10, neverAborted, late)).filesRead).toBe(0);
    await expect(search(orchard, ["x"], 1, AbortSignal.abort())).rejects.toThrow();
  });
});

describe("the ignored files", () => {
  const rules =
    "# no\n*.log\n/build\nsub/*.tmp\ndocs/**/draft\n!keep.log\nonly/\n\nx?z\nsame/**\npart/*\n!part/kept.txt\n";
  it.each([
    ["a.log", true],
    ["deep/a.log", true],
    ["keep.log", false],
    ["build/file", true],
    ["deep/build/file", false],
    ["sub/a.tmp", true],
    ["sub/deep/a.tmp", false],
    ["docs/a/b/draft", true],
    ["docs/draft", true],
    ["only/file", true],
    ["deep/only/file", true],
    ["only", false],
    ["xyz", true],
    ["xyyz", false],
    ["same/file", true],
    ["part/kept.txt", false],
    ["part/other.txt", true],
    ["a.txt", false],
    ["inner/a.txt", true],
    ["inner/a.log", false],
  ])("of a .gitignore: %s (%s)", async (name, ignored) => {
    const files = {
      ".gitignore": rules,
      "inner/.gitignore": "/a.txt\n!*.log\n[z-a]\n(((\n\\\n***.none\n!\n/\n",
      [name]: "apple",
    };
    const found = await within(files, (root) => search(root, ["apple"], 1, neverAborted));
    expect(found.hits.map((hit) => hit.name)).toEqual(ignored ? [] : [name]);
  });
});

describe("a project's description", () => {
  const describe = (files: Record<string, string>) =>
    within(files, (root) => overviewOf(root, readText));

  it("is the title and the first paragraph, without badges, images and code", async () => {
    const readme =
      "![x](y)\n# Name #\n\n[![b](c)](d)\n<p>html</p>\n\n> quote\n```\ncode\n```\n\nFirst line\nsecond.\n\n## Use\n\nMore.\n";
    expect(await describe({ "README.md": readme })).toEqual({
      title: "Name",
      description: "First line second.",
      sources: [expect.objectContaining({ name: "README.md", line: 12 })],
      sections: [{ name: "README.md", line: 15, text: "Use" }],
    });
  });
  it.each([{}, { "README.md": "" }])("is empty without a description: %j", async (files) => {
    expect(await describe(files)).toEqual({
      title: undefined,
      description: undefined,
      sources: [],
      sections: [],
    });
  });
  it.each([
    ["package.json", '{\n  "name": "n",\n  "description": "d d"\n}', "n", "d d"],
    ["Cargo.toml", '[package]\nname = "n"\ndescription = "d"\n', "n", "d"],
    ["pubspec.yaml", "name: n\ndescription: d\n", "n", "d"],
  ])("is found in the manifest %s", async (name, text, title, description) => {
    expect(await describe({ [name]: text })).toMatchObject({ title, description });
  });
});

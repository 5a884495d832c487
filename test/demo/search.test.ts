import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoAgent } from "../../src/demo/agent.ts";
import { parseIgnore } from "../../src/demo/search/ignore.ts";
import { parseManifest, parseReadme } from "../../src/demo/search/overview.ts";
import { matchLines, search } from "../../src/demo/search/search.ts";
import { toQuestion } from "../../src/demo/search/words.ts";
import { serve, type Json } from "../agent/harness.ts";

describe("a question", () => {
  it.each([
    ["what does this project do?", [], true],
    ["", [], true],
    ["where is the dialect detected", ["dialect", "detect"], false],
    ["tell me about sessions", ["session"], true],
    ["Größe größe", ["größe"], false],
    ["a b c d ee ff gg hh ii jj kk ll", ["ee", "ff", "gg", "hh", "ii", "jj", "kk", "ll"], false],
  ])("%j looks for %j", (prompt, words, aboutProject) => {
    expect(toQuestion(prompt)).toEqual({ words, aboutProject });
  });
});

describe("ignore rules", () => {
  const rules = parseIgnore(
    "# no\n*.log\n/build\nsub/*.tmp\ndocs/**/draft\n!keep.log\nonly/\n\nx?z\n",
  );
  it.each([
    ["a.log", false, true],
    ["deep/a.log", false, true],
    ["keep.log", false, false],
    ["build", true, true],
    ["deep/build", true, undefined],
    ["sub/a.tmp", false, true],
    ["sub/deep/a.tmp", false, undefined],
    ["docs/a/b/draft", false, true],
    ["docs/draft", false, true],
    ["only", true, true],
    ["only", false, undefined],
    ["xyz", false, true],
    ["xyyz", false, undefined],
    ["a.txt", false, undefined],
  ])("%s (folder: %s) is ignored: %s", (path, isFolder, ignored) => {
    expect(rules(path, isFolder)).toBe(ignored);
  });
  it("take any text for rules without failing", () => {
    expect(parseIgnore("[z-a]\n(((\n\\\n***\n!\n/\n")("x", false)).toBeTypeOf("boolean");
  });
});

describe("what a project says of itself", () => {
  it("is the title and the first paragraph, past badges and images", () => {
    const readme =
      "![x](y)\n# Name #\n\n[![b](c)](d)\n<p>html</p>\n\n> quote\n\nFirst line\nsecond.\n\n## Use\n\nMore.\n";
    expect(parseReadme(readme)).toEqual({
      title: "Name",
      paragraph: "First line second.",
      line: 9,
      sections: [{ line: 12, text: "Use" }],
    });
  });
  it("may be nothing", () => {
    expect(parseReadme("")).toEqual({
      title: undefined,
      paragraph: undefined,
      line: undefined,
      sections: [],
    });
  });
  it.each([
    ['{\n  "name": "n",\n  "description": "d d"\n}', "n", "d d"],
    ['[package]\nname = "n"\ndescription = "d"\n', "n", "d"],
    ["name: n\ndescription: d\n", "n", "d"],
  ])("stands in a manifest like %j", (text, name, description) => {
    expect(parseManifest(text)).toMatchObject({ name, description });
  });
});

describe("lines", () => {
  it("count more for whole words, headings, declarations and files named by a word", () => {
    const best = (text: string, name = "a.ts"): number =>
      Math.max(...matchLines(text, ["peer"], name).map(({ score }) => score));
    expect(best("the peer is")).toBeGreaterThan(best("the peers is"));
    expect(best("## Peer")).toBeGreaterThan(best("the peer"));
    expect(best("export class Peer {")).toBeGreaterThan(best("the peer"));
    expect(best("the peer", "peer.ts")).toBeGreaterThan(best("the peer"));
    expect(best("the peer", "x/y/z/a.ts")).toBeLessThan(best("the peer"));
    expect(matchLines("nothing here", ["peer"], "a")).toEqual([]);
  });
});

describe("in a folder", () => {
  let root = "";
  const files: Record<string, string> = {
    "README.md": "# Orchard\n\nGrows apples of every kind.\n\n## Tools\n\nA ladder.\n",
    "src/ladder.ts": "export class Ladder {\n  climb() {}\n}\n",
    "src/basket.ts": "// holds what the ladder gave\n",
    ".gitignore": "out/\n",
    "out/ladder.js": "ladder ladder ladder\n",
    "node_modules/x/ladder.js": "ladder\n",
    ".git/ladder": "ladder\n",
    "binary.dat": "ladder\0ladder",
    "picture.png": "ladder",
    "huge.txt": "ladder ".repeat(100_000),
  };
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "dragoman-search-"));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    }
    await symlink(root, join(root, "loop"), "junction");
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
  const never = new AbortController().signal;

  it("only what somebody wrote is found: nothing ignored, binary, huge or linked", async () => {
    const found = await search(root, ["ladder"], 10, never);
    expect(found.places.map(({ name, line }) => `${name}:${line}`)).toEqual([
      "src/ladder.ts:1",
      "README.md:7",
      "src/basket.ts:1",
    ]);
    expect(found.cut).toBe(false);
  });

  it("the search ends at its limits, and when it is given up", async () => {
    const limits = { files: 2, bytesPerFile: 1000, deadline: performance.now() + 60_000 };
    expect((await search(root, ["ladder"], 10, never, limits)).cut).toBe(true);
    const late = { ...limits, files: 100, deadline: performance.now() - 1 };
    expect((await search(root, ["ladder"], 10, never, late)).filesRead).toBe(0);
    await expect(search(root, ["x"], 1, AbortSignal.abort())).rejects.toThrow();
  });

  async function ask(text: string, content?: (path: string) => string) {
    const { client } = await serve(
      demoAgent({ version: "1", exit: () => {} }),
      content
        ? {
            capabilities: { fs: { readTextFile: true } },
            answers: {
              "fs/read_text_file": ({ path }: Json) => ({ content: content(String(path)) }),
            },
          }
        : {},
    );
    const sessionId = await client.newSession({ cwd: root });
    expect(await client.prompt(sessionId, text)).toBe("end_turn");
    return client;
  }

  it("what the project is comes first when that was asked", async () => {
    const client = await ask("what does this project do?");
    expect(client.text()).toMatch(/^\*\*Orchard\*\*\n\nGrows apples of every kind\./);
    expect(client.text()).toContain("README.md:5  Tools");
    expect(client.text()).toMatch(/I looked at \d+ files/);
  });

  it("places come with path and line, a plan and a search that shows them", async () => {
    const client = await ask("ladder?");
    expect(client.text()).toContain("- src/ladder.ts:1  export class Ladder {");
    expect(client.text()).toContain("found 3 lines in 3 files");
    expect(client.ofKind("plan")).toHaveLength(4);
    expect(client.ofKind("tool_call_update").at(0)).toMatchObject({
      status: "completed",
      locations: [{ path: join(root, "src/ladder.ts"), line: 1 }, {}, {}],
    });
  });

  it("nothing found is said, with what the project is", async () => {
    const client = await ask("zeppelin");
    expect(client.text()).toContain("**Orchard**");
    expect(client.text()).toContain("found nothing on it");
  });

  it("the client's own view of a file counts, unsaved changes included", async () => {
    const client = await ask("ladder", (path) =>
      path.endsWith("ladder.ts") ? "// new\nexport class Ladder {\n" : "gone",
    );
    expect(client.log).toContain("fs/read_text_file");
    expect(client.text()).toContain("src/ladder.ts:2");
    expect(client.text()).not.toContain("basket.ts");
  });

  it("what came along with the text is acknowledged", async () => {
    const { client } = await serve(demoAgent({ version: "1", exit: () => {} }));
    const sessionId = await client.newSession({ cwd: root });
    await client.call("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "ladder" },
        { type: "resource_link", uri: "file:///x", name: "x" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    });
    expect(client.text("agent_thought_chunk")).toContain("a link to file:///x, image (image/png");
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { matchLines, search } from "../../../src/demo/search/search.ts";
import { createOrchard, type Orchard } from "../orchard.ts";

describe("the score of a line", () => {
  it("is higher for whole words, headings, declarations and file names with a word", () => {
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

describe("a search", () => {
  let orchard: Orchard;
  beforeAll(async () => {
    orchard = await createOrchard();
  });
  afterAll(() => orchard.remove());
  const neverAborted = new AbortController().signal;

  it("skips ignored, binary, huge and linked files", async () => {
    const found = await search(orchard.root, ["ladder"], 10, neverAborted);
    expect(found.hits.map(({ name, line }) => `${name}:${line}`)).toEqual([
      "src/ladder.ts:1",
      "README.md:7",
      "src/basket.ts:1",
    ]);
    expect(found.cut).toBe(false);
  });

  it("skips the .git of a worktree, which is a file", async () => {
    await writeFile(join(orchard.root, "src/.git"), "gitdir: /elsewhere/ladder\n");
    const found = await search(orchard.root, ["elsewhere"], 10, neverAborted);
    expect(found.hits).toEqual([]);
  });

  it("stops at its limits, and when it is aborted", async () => {
    const limits = { files: 2, bytesPerFile: 1000, deadline: performance.now() + 60_000 };
    expect((await search(orchard.root, ["ladder"], 10, neverAborted, limits)).cut).toBe(true);
    const late = { ...limits, files: 100, deadline: performance.now() - 1 };
    expect((await search(orchard.root, ["ladder"], 10, neverAborted, late)).filesRead).toBe(0);
    await expect(search(orchard.root, ["x"], 1, AbortSignal.abort())).rejects.toThrow();
  });
});

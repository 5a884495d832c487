import { describe, expect, it } from "vitest";
import { findMentions, linksOf } from "../../../../src/apps/cli/prompt/mentions.ts";

describe("mentions", () => {
  it.each([
    ["read @a.ts", [{ kind: "path", path: "a.ts", quoted: false }]],
    ["@a.ts first", [{ kind: "path", path: "a.ts", quoted: false }]],
    ['the @"my file.txt" here', [{ kind: "path", path: "my file.txt", quoted: true }]],
    ["see @~/notes.md", [{ kind: "path", path: "~/notes.md", quoted: false }]],
    ["(@src/x.ts)", [{ kind: "path", path: "src/x.ts", quoted: false }]],
    ["@https://example.com/a.txt.", [{ kind: "url", url: "https://example.com/a.txt" }]],
    ["@http://h/?q=1,", [{ kind: "url", url: "http://h/?q=1" }]],
    ["mail me@example.com", []],
    ["a @ b", []],
    ["@@x", []],
  ])("in %j are found", (text, mentions) => {
    expect(findMentions(text)).toEqual(mentions);
  });

  const files: Record<string, { isFolder: boolean; size: number }> = {
    "/w/a.ts": { isFolder: false, size: 3 },
    "/w/src": { isFolder: true, size: 0 },
    "/h/n.md": { isFolder: false, size: 9 },
    "/w/my file.txt": { isFolder: false, size: 1 },
    "/w/odd.": { isFolder: false, size: 2 },
  };
  const links = (text: string) =>
    linksOf(text, { cwd: "/w", home: "/h" }, (path) => Promise.resolve(files[path]));

  it.each(["@a.ts:2", "@a.ts:2:14", "@a.ts:2-5", "(@a.ts:2)", "@a.ts:2."])(
    "with a line number, as in %s, link to the file",
    async (text) => {
      const { blocks, missing } = await links(text);
      expect(missing).toEqual([]);
      expect(blocks).toMatchObject([{ uri: "file:///w/a.ts" }]);
    },
  );

  it("become links, once each and in order, if they are URLs or match a file", async () => {
    const { blocks, missing } = await links(
      'look at @src, @a.ts. and @~/n.md; @"my file.txt" @a.ts @odd. @https://example.com/spec.pdf',
    );
    expect(missing).toEqual([]);
    expect(blocks).toEqual([
      { type: "resource_link", uri: "file:///w/src", name: "src", mimeType: "inode/directory" },
      {
        type: "resource_link",
        uri: "file:///w/a.ts",
        name: "a.ts",
        mimeType: "text/typescript",
        size: 3,
      },
      {
        type: "resource_link",
        uri: "file:///h/n.md",
        name: "n.md",
        mimeType: "text/markdown",
        size: 9,
      },
      {
        type: "resource_link",
        uri: "file:///w/my%20file.txt",
        name: "my file.txt",
        mimeType: "text/plain",
        size: 1,
      },
      { type: "resource_link", uri: "file:///w/odd.", name: "odd.", size: 2 },
      {
        type: "resource_link",
        uri: "https://example.com/spec.pdf",
        name: "spec.pdf",
        mimeType: "application/pdf",
      },
    ]);
  });

  it("that look like paths but match no file are reported as missing", async () => {
    expect(await links('@gone.ts @"not there" @param @decorator() @a/b')).toEqual({
      blocks: [],
      missing: ["gone.ts", "not there", "a/b"],
    });
  });
});

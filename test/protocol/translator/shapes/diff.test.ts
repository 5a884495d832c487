import { describe, expect, it } from "vitest";
import { diffToV1, diffToV2, gitPatch } from "../../../../src/protocol/translator/shapes/diff.ts";
import { contentToV2 } from "../../../../src/protocol/translator/shapes/content.ts";

const patch = (...texts: string[]) => ({ format: "git_patch", text: texts.join("") });
const modified = gitPatch({ path: "/a", oldText: "x\n", newText: "y\n" });
const added = gitPatch({ path: "/b", oldText: undefined, newText: "new\n" });
const deleted = gitPatch({ path: "/c", oldText: "old\n", newText: undefined });
const line = (text: string) => ({ type: "content", content: { type: "text", text } });

describe("a v1 diff in v2", () => {
  it.each([
    ["add", undefined],
    ["modify", "x\n"],
  ])("is of the operation %s if the old text is %j", (operation, oldText) => {
    const diff = { type: "diff", path: "/a", oldText, newText: "y\n" };
    expect(diffToV2(diff)["changes"]).toEqual([{ operation, path: "/a", fileType: "text" }]);
  });

  it("comes back as it was", () => {
    const diff = { type: "diff", path: "/a", oldText: "part", newText: "", _meta: { mine: 1 } };
    expect(diffToV1(diffToV2(diff), false)).toEqual({ items: [diff], isComplete: true });
  });

  it("stays next to other content, and a v2 diff stays itself", () => {
    const v2 = { type: "diff", changes: [] };
    const items = [line("x"), v2, 5, { type: "diff", path: "/a", newText: "" }];
    expect(contentToV2(items)).toEqual([line("x"), v2, 5, diffToV2({ path: "/a", newText: "" })]);
  });
});

describe("a v2 diff in v1", () => {
  it("has an item for each hunk of each file", () => {
    const diff = {
      type: "diff",
      changes: [
        { operation: "modify", path: "/a" },
        { operation: "add", path: "/b" },
        { operation: "delete", path: "/c" },
      ],
      patch: patch(modified, added, deleted),
    };
    expect(diffToV1(diff, false)).toEqual({
      items: [
        { type: "diff", path: "/a", oldText: "x\n", newText: "y\n" },
        { type: "diff", path: "/b", newText: "new\n" },
        { type: "diff", path: "/c", oldText: "old\n", newText: "" },
      ],
      isComplete: true,
    });
  });

  it.each([
    ["a move", { operation: "move", oldPath: "/a", path: "/b" }, "move /a to /b"],
    ["a copy", { operation: "copy", oldPath: "/a", path: "/b" }, "copy /a to /b"],
    [
      "a binary file",
      { operation: "modify", path: "/a", fileType: "binary" },
      "modify /a (binary)",
    ],
    ["an unknown operation", { operation: "_chmod", path: "/a" }, "_chmod /a"],
    ["a change without anything", {}, "change "],
  ])("describes %s in a line", (_, change, text) => {
    expect(diffToV1({ type: "diff", changes: [change] }, false)).toEqual({
      items: [line(text)],
      isComplete: false,
    });
  });

  it("describes a move in a line even if it also changes the file", () => {
    const text = `diff --git /a /b\nrename from /a\nrename to /b\n@@ -1 +1 @@\n-x\n+y\n`;
    const changes = [{ operation: "move", oldPath: "/a", path: "/b" }];
    expect(diffToV1({ type: "diff", changes, patch: patch(text) }, false)).toEqual({
      items: [line("move /a to /b")],
      isComplete: false,
    });
  });

  it("trusts the changes, not the patch", () => {
    const changes = [{ operation: "modify", path: "/other" }];
    expect(diffToV1({ type: "diff", changes, patch: patch(modified) }, false)).toEqual({
      items: [line("modify /other")],
      isComplete: false,
    });
    expect(diffToV1({ type: "diff", patch: patch(modified) }, false).items).toEqual([]);
  });

  it("does not read a patch of an unknown format", () => {
    const changes = [{ operation: "modify", path: "/a" }];
    const diff = { type: "diff", changes, patch: { format: "_ed", text: modified } };
    expect(diffToV1(diff, false)).toEqual({ items: [line("modify /a")], isComplete: false });
  });

  it("has the change and its part of the patch for a client that knows them", () => {
    const changes = [
      { operation: "modify", path: "/a", fileType: "text", mimeType: "text/plain" },
      { operation: "move", oldPath: "/x", path: "/y" },
    ];
    expect(diffToV1({ type: "diff", changes, patch: patch(modified, added) }, true).items).toEqual([
      {
        type: "diff",
        path: "/a",
        oldText: "x\n",
        newText: "y\n",
        change: { operation: "modify", path: "/a", fileType: "text", mimeType: "text/plain" },
        patch: modified,
      },
      { ...line("move /x to /y"), change: { operation: "move", path: "/y", oldPath: "/x" } },
    ]);
  });
});

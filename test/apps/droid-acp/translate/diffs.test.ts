import { describe, expect, it } from "vitest";
import {
  diffContent,
  madeChanges,
  permissionChanges,
  plannedChanges,
  storedChanges,
  writtenPaths,
  type FileText,
} from "../../../../src/apps/droid-acp/translate/diffs.ts";
import { strictFaults } from "../../../support/schema.ts";
import { PATCH } from "./sample-patch.ts";

describe("file changes", () => {
  const at = (text: FileText) => () => text;
  const diff = (oldText: string | null, newText: string, path = "/w/a") => [
    { path, oldText, newText },
  ];
  const create = { file_path: "a", content: "n" };
  const edit = { file_path: "a", old_str: "b", new_str: "B" };

  it.each([
    ["Create", create, null, diff(null, "n")],
    ["Create", create, "o", diff("o", "n")],
    ["Create", { file_path: "a" }, null, []],
    ["Edit", edit, "abc abc", diff("abc abc", "aBc abc")],
    ["Edit", { ...edit, change_all: true }, "abc abc", diff("abc abc", "aBc aBc")],
    ["Edit", { ...edit, new_str: "$&" }, "abc", diff("abc", "a$&c")],
    ["Edit", edit, undefined, diff("b", "B")],
    ["Edit", edit, "nothing like it", diff("b", "B")],
    [
      "MultiEdit",
      {
        file_path: "a",
        edits: [
          { old_str: "a", new_str: "1" },
          { old_str: "b", new_str: "2" },
        ],
      },
      "ab",
      diff("ab", "12"),
    ],
    ["ApplyPatch", { input: PATCH }, undefined, diff(null, "one\ntwo\n", "/w/new.ts")],
    ["Read", { file_path: "a" }, "x", []],
  ] as const)("are predicted for %s %j on %j", (name, input, before, changes) => {
    expect(plannedChanges(name, input, "/w", at(before))).toEqual(changes);
  });

  it.each([
    ["Edit", edit, "abc", "aBc", diff("abc", "aBc")],
    // The file was read after the change, so the change is undone to get the old text.
    ["Edit", edit, "aBc", "aBc", diff("abc", "aBc")],
    ["Edit", edit, undefined, "aBc", diff("abc", "aBc")],
    // Either of the two matches may be the change.
    ["Edit", edit, "aBcB", "aBcB", diff("b", "B")],
    ["Edit", { ...edit, change_all: true }, "aBcB", "aBcB", diff("abcb", "aBcB")],
    ["Edit", { ...edit, new_str: "" }, "ac", "ac", diff("b", "")],
    ["Create", create, null, "n", diff(null, "n")],
    ["Create", create, "n", "n", diff(null, "n")],
    ["Create", create, "o", undefined, diff("o", "n")],
  ] as const)(
    "are read from disk after %s %j from %j to %j",
    (name, input, before, after, changes) => {
      expect(madeChanges(name, input, "/w", () => ({ before, after }))).toEqual(changes);
    },
  );

  it("of a patch are whole files, and a deleted file has an empty new text", () => {
    const disk: Record<string, { before: FileText; after: FileText }> = {
      "/w/new.ts": { before: null, after: "one\ntwo\n" },
      "/w/src/a.ts": { before: "x\n", after: null },
      "/w/src/b.ts": { before: null, after: "y\n" },
      "/w/gone.ts": { before: "was", after: null },
    };
    const seen = (path: string) => disk[path] ?? { before: undefined, after: undefined };
    const changes = madeChanges("ApplyPatch", { input: PATCH }, "/w", seen);
    expect(changes).toEqual([
      { path: "/w/new.ts", oldText: null, newText: "one\ntwo\n" },
      { path: "/w/src/a.ts", oldText: "x\n", newText: "", isDeleted: true },
      { path: "/w/src/b.ts", oldText: null, newText: "y\n" },
      { path: "/w/gone.ts", oldText: "was", newText: "", isDeleted: true },
    ]);
    for (const content of diffContent(changes))
      expect(strictFaults("ToolCallContent", content)).toEqual([]);
  });

  it("in a permission request are taken from the request", () => {
    const file = { fileName: undefined, filePath: "a" };
    expect(permissionChanges({ kind: "create", ...file, content: "n" }, "/w", at("old"))).toEqual(
      diff("old", "n"),
    );
    expect(
      permissionChanges(
        { kind: "edit", ...file, oldContent: "o", newContent: "n" },
        "/w",
        at(null),
      ),
    ).toEqual(diff("o", "n"));
    const files = [
      { filePath: "x", operation: "add", oldContent: undefined, newContent: "n" },
      { filePath: "", operation: undefined, oldContent: undefined, newContent: undefined },
    ];
    expect(
      permissionChanges(
        { kind: "apply_patch", filePath: "x", patch: PATCH, files },
        "/w",
        at(null),
      ),
    ).toEqual(diff(null, "n", "/w/x"));
    expect(permissionChanges({ kind: "unknown", raw: {} }, "/w", at(null))).toEqual([]);
  });

  it("of a stored call come from its input, or from a result with the whole new text (0.99)", () => {
    expect(storedChanges("Edit", edit, "/w", '{"diffLines":[]}')).toEqual(diff("b", "B"));
    expect(storedChanges("Edit", edit, "/w", '{"content":"aBc"}')).toEqual(diff("abc", "aBc"));
    expect(storedChanges("Edit", edit, "/w", "{broken")).toHaveLength(1);
  });

  it.each([
    ["Create", { file_path: "a" }, ["/w/a"]],
    ["ApplyPatch", { input: PATCH }, ["/w/new.ts", "/w/src/a.ts", "/w/src/b.ts", "/w/gone.ts"]],
    ["Read", { file_path: "a" }, []],
    ["Edit", {}, []],
  ])("of %s %j are expected in %j", (name, input, paths) => {
    expect(writtenPaths(name, input, "/w")).toEqual(paths);
  });
});

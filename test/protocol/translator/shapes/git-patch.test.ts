import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gitPatch, parseGitPatch } from "../../../../src/protocol/translator/shapes/diff.ts";

describe("a patch", () => {
  it("of a new file starts from /dev/null", () => {
    expect(gitPatch({ path: "/p/a.txt", oldText: undefined, newText: "one\ntwo\n" })).toBe(
      [
        "diff --git /p/a.txt /p/a.txt",
        "new file mode 100644",
        "--- /dev/null",
        "+++ /p/a.txt",
        "@@ -0,0 +1,2 @@",
        "+one",
        "+two",
        "",
      ].join("\n"),
    );
  });

  it("of a deleted file leads to /dev/null", () => {
    expect(gitPatch({ path: "/p/a.txt", oldText: "one\n", newText: undefined })).toBe(
      [
        "diff --git /p/a.txt /p/a.txt",
        "deleted file mode 100644",
        "--- /p/a.txt",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-one",
        "",
      ].join("\n"),
    );
  });

  it.each([
    ["an empty new file", undefined, "", "new file mode 100644"],
    ["an empty deleted file", "", undefined, "deleted file mode 100644"],
  ])("of %s has no hunks", (_, oldText, newText, mode) => {
    const text = gitPatch({ path: "/a", oldText, newText });
    expect(text).toBe(`diff --git /a /a\n${mode}\n`);
  });

  it("says where the last line has no newline", () => {
    expect(gitPatch({ path: "/a", oldText: "one", newText: "one\n" })).toContain(
      "-one\n\\ No newline at end of file\n+one\n",
    );
  });

  const line = fc.constantFrom("a", "b", "", " c", "-d", "+e", "@@ f", "\\ g", "diff --git x", "é");
  const file = fc
    .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
    .map(([lines, newline, ends]) => lines.join(newline) + (ends ? newline : ""));

  it("turns the old text into the new one", () => {
    fc.assert(
      fc.property(file, file, (oldText, newText) => {
        const patch = gitPatch({ path: "/a", oldText, newText });
        const options = { autoConvertLineEndings: false };
        expect(applyPatch(oldText, patch.replace(/^diff.*\n/, ""), options)).toBe(newText);
      }),
    );
  });

  it("is read back, with the texts of each hunk", () => {
    fc.assert(
      fc.property(file, file, (oldText, newText) => {
        const patch = gitPatch({ path: "/a", oldText, newText });
        const [section, ...more] = parseGitPatch(patch);
        expect(more).toEqual([]);
        let rest = oldText;
        let built = "";
        for (const hunk of section?.hunks ?? []) {
          const at = hunk.oldText === "" && oldText === "" ? 0 : rest.indexOf(hunk.oldText);
          built += rest.slice(0, at) + hunk.newText;
          rest = rest.slice(at + hunk.oldText.length);
        }
        if ((section?.hunks.length ?? 0) <= 1) expect(built + rest).toBe(newText);
      }),
    );
  });

  it("of texts with too many differences replaces every line", () => {
    const oldText = Array.from({ length: 4000 }, (_, n) => `old ${n}\n`).join("");
    const newText = Array.from({ length: 4000 }, (_, n) => `new ${n}\n`).join("");
    const [section] = parseGitPatch(gitPatch({ path: "/a", oldText, newText }));
    expect(section?.hunks).toEqual([{ oldText, newText }]);
  });

  it.each(["/p/a b", '/p/"q"', "/p/back\\slash", "/p/tab\there", "/p/new\nline", "/p/ü✓"])(
    "quotes the path %j so that it is read back",
    (path) => {
      const [section] = parseGitPatch(gitPatch({ path, oldText: "a\n", newText: "b\n" }));
      expect(section).toMatchObject({ oldPath: path, newPath: path });
    },
  );
});

describe("a patch of Git itself", () => {
  it.each(["plain", "with space", 'with "quotes"', "tab\there", "ü✓"])(
    "about a file named %j is read",
    (name) => {
      const folder = mkdtempSync(join(tmpdir(), "dragoman-patch-"));
      try {
        const path = join(folder, name);
        writeFileSync(path, "one\ntwo\r\nthree");
        const patch = gitDiff("/dev/null", path);
        expect(parseGitPatch(patch)).toMatchObject([
          {
            oldPath: undefined,
            // Git leaves out the first slash.
            newPath: path.slice(1),
            hunks: [{ oldText: "", newText: "one\ntwo\r\nthree" }],
          },
        ]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it("about several files has a section for each", () => {
    const patch = [
      "From nowhere: this line belongs to no file",
      "diff --git /a /a",
      "--- /a",
      "+++ /a",
      "@@ -1,2 +1,2 @@ function f() {",
      " same",
      "-old",
      "+new",
      "@@ -9 +9 @@",
      "-far",
      "+away",
      "diff --git /b /c",
      "similarity index 100%",
      "rename from /b",
      "rename to /c",
      "diff --git /d /d",
      "deleted file mode 100644",
      "--- /d",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-gone",
      "\\ No newline at end of file",
      "",
    ].join("\n");
    expect(parseGitPatch(patch)).toMatchObject([
      {
        oldPath: "/a",
        newPath: "/a",
        hunks: [
          { oldText: "same\nold\n", newText: "same\nnew\n" },
          { oldText: "far\n", newText: "away\n" },
        ],
      },
      { oldPath: "/b", newPath: "/c", hunks: [] },
      { oldPath: "/d", newPath: undefined, hunks: [{ oldText: "gone", newText: "" }] },
    ]);
  });
});

/** Git's patch between two files, outside of any repository. It exits with 1 if they differ. */
function gitDiff(from: string, to: string): string {
  const args = ["diff", "--no-index", "--no-prefix", from, to];
  try {
    return execFileSync("git", args, { cwd: tmpdir(), encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    if (error instanceof Error && "stdout" in error) return String(error.stdout);
    throw error;
  }
}

import { describe, expect, it } from "vitest";
import { displayPath } from "../../../../src/apps/droid-acp/translate/tool-input.ts";
import { PATCH } from "./sample-patch.ts";
import {
  addedText,
  patchTargets,
  patchText,
} from "../../../../src/apps/droid-acp/translate/patch.ts";

describe("a patch", () => {
  it("names its files", () => {
    expect(patchTargets(PATCH)).toEqual([
      { path: "new.ts", operation: "add", movedTo: undefined },
      { path: "src/a.ts", operation: "update", movedTo: "src/b.ts" },
      { path: "gone.ts", operation: "delete", movedTo: undefined },
    ]);
    expect(patchTargets("nothing")).toEqual([]);
  });
  it("is found under any key of the input, and has the text of new files", () => {
    expect(patchText({ a: 1, whatever: PATCH })).toBe(PATCH);
    expect(patchText({ input: "no patch" })).toBeUndefined();
    expect(addedText(PATCH, "new.ts")).toBe("one\ntwo\n");
    expect(addedText(PATCH, "src/a.ts")).toBeUndefined();
  });
});

describe("a displayed path", () => {
  it.each([
    ["/w/a/b", "a/b"],
    ["/w", "."],
    ["/wider/a", "/wider/a"],
    ["../x", "/x"],
  ])("shows %s as %s", (path, text) => {
    expect(displayPath(path, "/w")).toBe(text);
  });
});

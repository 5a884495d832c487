import { describe, expect, it } from "vitest";
import { displayPath } from "../../../../src/apps/droid-acp/translate/input.ts";

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

import { describe, expect, it } from "vitest";
import { globTest } from "../../../src/cli/permissions/glob.ts";

describe("a path pattern", () => {
  it.each([
    ["/w/src/**", "/w/src/a/b.ts", true],
    ["/w/src/**", "/w/src", true],
    ["/w/src/**", "/w/srcs/a", false],
    ["/w/*.ts", "/w/a.ts", true],
    ["/w/*.ts", "/w/a/b.ts", false],
    ["/w/**/*.ts", "/w/a.ts", true],
    ["/w/**/*.ts", "/w/a/b/c.ts", true],
    ["/w/?.ts", "/w/ab.ts", false],
    ["/w/{a,b}.ts", "/w/b.ts", true],
    ["/w/a+b(c).ts", "/w/a+b(c).ts", true],
    ["/w/a.ts", "/w/axts", false],
    ["/w/docs/", "/w/docs/x", true],
    ["/a-b c/[x]/**", "/a-b c/[x]/y", true],
  ])("%s tested with %s is %s", (pattern, path, expected) => {
    expect(globTest(pattern)(path)).toBe(expected);
  });
  it("can ignore case", () => {
    expect(globTest("/w/Secret/**", true)("/W/secret/x")).toBe(true);
  });
});

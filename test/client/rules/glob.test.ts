import { describe, expect, it } from "vitest";
import { compilePattern, PatternError } from "../../../src/client/rules/glob.ts";

const exact = { ignoreCase: false, withBelow: false };

describe("a path pattern", () => {
  it.each([
    ["src/**", "/w/src/a/b.ts", true],
    ["src/**", "/w/src", true],
    ["src/**", "/w/srcs/a", false],
    ["*.ts", "/w/a.ts", true],
    ["*.ts", "/w/a/b.ts", false],
    ["**/*.ts", "/w/a.ts", true],
    ["**/*.ts", "/w/a/b/c.ts", true],
    ["**/a/**/b", "/w/x/a/y/z/b", true],
    ["?.ts", "/w/ab.ts", false],
    ["?.ts", "/w/é.ts", true],
    ["{a,b}.ts", "/w/b.ts", true],
    ["{a,b}/{c,d}", "/w/b/c", true],
    ["a+b(c).ts", "/w/a+b(c).ts", true],
    ["a.ts", "/w/axts", false],
    ["docs/", "/w/docs/x", true],
    ["./x", "/w/x", true],
    ["a/../b", "/w/b", true],
    ["../other/**", "/other/x", true],
    ["*a*b*", "/w/xaxbx", true],
    ["*a*b*", "/w/xbxa", false],
  ])("%s below /w tested with %s is %s", (pattern, path, expected) => {
    expect(compilePattern("/w", pattern, exact)(path)).toBe(expected);
  });

  it("takes its base literally", () => {
    const matches = compilePattern("/a-b c/[x]{y}", "**", exact);
    expect(matches("/a-b c/[x]{y}/z")).toBe(true);
    expect(matches("/a-b c/xy/z")).toBe(false);
  });
  it("can ignore case", () => {
    const matches = compilePattern("/w", "Secret/**", { ...exact, ignoreCase: true });
    expect(matches("/W/secret/x")).toBe(true);
  });
  it("can match everything below the paths it names", () => {
    const matches = compilePattern("/w", "secrets", { ...exact, withBelow: true });
    expect(["/w/secrets", "/w/secrets/a/b", "/w/secrets2"].map(matches)).toEqual([
      true,
      true,
      false,
    ]);
  });
  it.each([
    ["[ab]", "[...]"],
    ["!x", "a leading !"],
    ["+(a|b)", "(...) after a wildcard"],
    ["a\\*", "a backslash"],
    ["src/**.ts", "** must stand alone"],
    ["*/../x", ".. after a wildcard"],
    ["{a", "{...} must be closed"],
    ["{a,{b,c}}", "{...} must be closed"],
    ["a}", "} without {"],
    ["{1,2,3,4,5}{1,2,3,4,5}{1,2,3,4,5}", "more than 100 alternatives"],
  ])("%s is rejected because of %s", (pattern, reason) => {
    expect(() => compilePattern("/w", pattern, exact)).toThrow(PatternError);
    expect(() => compilePattern("/w", pattern, exact)).toThrow(reason);
  });
  it("with sixty wildcards is matched without backtracking", () => {
    const matches = compilePattern("/w", `${"*a".repeat(60)}b`, exact);
    expect(matches(`/w/${"a".repeat(5000)}`)).toBe(false);
    const folders = compilePattern("/w", `${"**/a/".repeat(60)}b`, exact);
    expect(folders(`/w/${"a/".repeat(2000)}`)).toBe(false);
  });
});

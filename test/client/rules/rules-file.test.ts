import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyRules, readRules, RulesError } from "../../../src/client/rules/index.ts";
import { query } from "./query-builder.ts";

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "rules-")));
  await mkdir(join(folder, "real"));
  await symlink("real", join(folder, "link"));
});
afterAll(() => rm(folder, { recursive: true }));

const TEXT = JSON.stringify({ version: 1, rules: [{ decision: "allow", path: "src/**" }] });
const user = (platform: NodeJS.Platform = "linux") => ({ home: folder, platform });

describe("a rules file", () => {
  it("starts relative patterns in the folder of each session", () => {
    const file = readRules(TEXT, "r.json", user());
    const decides = (cwd: string, path: string): unknown =>
      applyRules(file.forFolder(cwd), query("edit", { paths: [path] }))?.decision;
    expect(decides("/a", "/a/src/x")).toBe("allow");
    expect(decides("/a", "/b/src/x")).toBeUndefined();
    expect(decides("/b", "/b/src/x")).toBe("allow");
  });
  it("resolves links in the folder, even if the pattern names a file that is missing", () => {
    const rules = readRules(TEXT, "r.json", user()).forFolder(join(folder, "link"));
    const paths = [join(folder, "real/src/new/x")];
    expect(applyRules(rules, query("edit", { paths }))?.decision).toBe("allow");
  });
  it.each([
    ["linux", undefined],
    ["darwin", "allow"],
    ["win32", "allow"],
  ] as const)("on %s decides %s about a path in other letters", (platform, decision) => {
    const rules = readRules(TEXT, "r.json", user(platform)).forFolder("/a");
    const paths = ["/a/SRC/x"];
    expect(applyRules(rules, query("edit", { paths }))?.decision).toBe(decision);
  });
  it("with a mistake is refused before there is a session", () => {
    expect(() => readRules('{"version":2}', "r.json", user())).toThrow(
      new RulesError("r.json: version must be 1"),
    );
  });
});

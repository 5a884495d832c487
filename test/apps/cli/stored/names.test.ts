import { describe, expect, it } from "vitest";
import { checkSessionName, SessionNames } from "../../../../src/apps/cli/stored/sessions.ts";
import { fakeIo } from "../support/io.ts";
import { foldersForEach } from "../commands/setup.ts";

const folders = foldersForEach();

describe("the names of sessions", () => {
  it("belong to an agent and a folder", async () => {
    const names = new SessionNames(fakeIo({ home: folders.home }));
    await names.remember("a", "/x", { name: "fix", sessionId: "1" });
    await names.remember("a", "/y", { name: "fix", sessionId: "2" });
    expect(await names.find("a", "/x", "fix")).toBe("1");
    expect(await names.find("a", "/y", "fix")).toBe("2");
    expect(await names.find("b", "/x", "fix")).toBeUndefined();
    expect(await names.all("a", "/x")).toMatchObject([{ name: "fix", sessionId: "1" }]);
    expect(await names.all("a", undefined)).toHaveLength(2);
    await names.forget("a", "/x", "fix");
    expect(await names.find("a", "/x", "fix")).toBeUndefined();
  });

  it.each(["fix", "issue 17", "größer", "feature/a-b", "v1.2", "修复"])("may be %s", (name) => {
    expect(checkSessionName(name)).toBe(name);
  });

  it.each(["", "-x", " x", "a\nb", "a\u001b[2J", "x".repeat(101)])("may not be %j", (name) => {
    expect(() => checkSessionName(name)).toThrow("is not a name");
  });
});

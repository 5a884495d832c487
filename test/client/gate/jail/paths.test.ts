import { describe, expect, it } from "vitest";
import { cleanPath, isPlainWindowsPath, isWithin } from "../../../../src/client/gate/jail/paths.ts";

describe("cleaning a path", () => {
  it.each([
    ["/a/./b//c/../d", "/a/b/d"],
    ["/..", "/"],
    ["/a/", "/a"],
  ])("turns %s into %s", (path, clean) => {
    expect(cleanPath(path, "posix")).toBe(clean);
  });
});

describe("a Windows path", () => {
  it.each([
    ["C:\\code\\a.txt", true],
    ["C:/code/a.txt", true],
    ["\\\\server\\share\\a.txt", true],
    ["\\\\.\\PhysicalDrive0", false],
    ["\\\\?\\C:\\a", false],
    ["\\a.txt", false],
    ["C:\\a.txt:stream", false],
    ["C:\\nul", false],
    ["C:\\x\\CON.txt", false],
    ["C:\\com1", false],
    ["C:\\a.txt.", false],
    ["C:\\a \\b", false],
    ["C:\\console", true],
    ["C:\\a\\..\\b", true],
  ])("%s is the path of a plain file: %s", (path, plain) => {
    expect(isPlainWindowsPath(path)).toBe(plain);
  });
});

describe("a real path", () => {
  it.each([
    ["/ws", "/ws", true],
    ["/ws/a", "/ws", true],
    ["/ws2", "/ws", false],
    ["/", "/ws", false],
    ["/x", "/", true],
    ["/WS/a", "/ws", false],
  ])("%s is within the root %s: %s", (real, root, within) => {
    expect(isWithin(real, root, "posix")).toBe(within);
  });
});

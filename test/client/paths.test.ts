import { posix, win32 } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileUrl, lastName, pathStyle, resolvePath } from "../../src/client/paths.ts";
import { seed, times } from "../support/soak.ts";

const runs = { seed, numRuns: times(500, 20_000) };
const name = fc.oneof(
  fc.constantFrom("", ".", "..", "a", "a b", "...", "é", "🦊", "c:", "%41"),
  fc.string({ maxLength: 6 }),
);

describe("resolving a path", () => {
  it("agrees with Node for POSIX paths", () => {
    const path = fc.array(name).map((names) => names.join("/"));
    fc.assert(
      fc.property(path, path, (base, relative) => {
        const absolute = `/${base}`;
        expect(resolvePath(absolute, relative, "posix")).toBe(posix.resolve(absolute, relative));
      }),
      runs,
    );
  });

  it("agrees with Node for Windows paths, whatever they start with", () => {
    const names = fc.array(name.filter((one) => !/[\\/:]/.test(one))).map((all) => all.join("\\"));
    const device = fc.constantFrom("C:\\", "c:/", "\\\\server\\share\\", "//server/share/");
    const start = fc.constantFrom("", "\\", "/", "C:\\", "D:/", "c:", "\\\\other\\share\\");
    fc.assert(
      fc.property(device, names, start, names, (top, below, first, rest) => {
        const base = top + below;
        const path = first + rest;
        // Devices (`\\\\.\\`) and servers without a share are denied before they are resolved.
        fc.pre(first.startsWith("\\\\") || !/^[\\/]{2}/.test(path));
        // Node reads `c:x` on another drive from that drive's own current folder.
        fc.pre(!path.startsWith("c:") || /^c:/i.test(base));
        expect(resolvePath(base, path, "windows")).toBe(win32.resolve(base, path));
      }),
      runs,
    );
  });

  it.each([
    ["/ws", "a", "/ws/a"],
    ["C:\\ws", "a/b", "C:\\ws\\a\\b"],
    ["C:\\ws", "..\\..\\..\\x", "C:\\x"],
    ["C:\\ws", "D:x", "D:\\x"],
    ["\\\\server\\share\\ws", "..\\..\\x", "\\\\server\\share\\x"],
  ])("uses the style of the folder: from %s, %s is %s", (base, path, resolved) => {
    expect(resolvePath(base, path)).toBe(resolved);
  });
});

describe("the style of an absolute path", () => {
  it.each([
    ["/ws", "posix"],
    ["//ws", "posix"],
    ["/c:/x", "posix"],
    ["C:\\ws", "windows"],
    ["c:/ws", "windows"],
    ["\\\\server\\share", "windows"],
  ])("%s is %s", (path, style) => {
    expect(pathStyle(path)).toBe(style);
  });
});

describe("the URL of a path", () => {
  it("leads back to the path, as Node reads it", () => {
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const path = posix.resolve(`/${names.join("/")}`);
        fc.pre(!/[\0\p{Surrogate}]/u.test(path));
        expect(fileURLToPath(fileUrl(path), { windows: false })).toBe(path);
      }),
      runs,
    );
  });
  it.each(["/a b/c", "/a%20b", "/x?y#z", "/a\\b", "/é/🦊", "/[x]", "/folder/"])(
    "%s is the one that Node makes",
    (path) => {
      expect(fileUrl(path).href).toBe(pathToFileURL(path).href);
    },
  );
  it.each([
    ["C:\\a b\\c", "file:///C:/a%20b/c"],
    ["\\\\server\\share\\x", "file://server/share/x"],
  ])("%s is %s, on every system", (path, url) => {
    expect(fileUrl(path).href).toBe(url);
  });
});

it.each([
  ["/a/b.txt", "b.txt"],
  ["/a/b/", "b"],
  ["/", ""],
])("the last name of %s is %j", (path, last) => {
  expect(lastName(path)).toBe(last);
});

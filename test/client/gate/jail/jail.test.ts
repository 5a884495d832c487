import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Jail } from "../../../../src/client/gate/jail/jail.ts";
import type { PathOpener } from "../../../../src/client/gate/jail/path-opener.ts";
import { makeFifo, scratch, type Scratch } from "../scratch.ts";
import { denialReason, OPENERS, readFile } from "./jail-calls.ts";
import { cleanPath, isPlainWindowsPath } from "../../../../src/client/gate/jail/clean-path.ts";
import { isWithin } from "../../../../src/client/paths.ts";

const write = (jail: Jail, path: string, text: string): Promise<void> =>
  jail.replace(path, Buffer.from(text));

function tree(): Scratch {
  const folders = scratch();
  mkdirSync(join(folders.ws, "sub"), { recursive: true });
  mkdirSync(join(folders.outside, "deep"), { recursive: true });
  writeFileSync(join(folders.ws, "a.txt"), "inside");
  writeFileSync(join(folders.outside, "secret.txt"), "secret");
  return folders;
}

describe.each(OPENERS)("the jail, opening files by %s", (_name, opener) => {
  const jailOf = (...roots: string[]): Jail => new Jail(roots, { opener });

  it("reads and writes inside every root", async () => {
    using t = tree();
    const jail = jailOf(t.ws, t.outside);
    expect(await readFile(jail, join(t.ws, "a.txt"))).toBe("inside");
    expect(await readFile(jail, join(t.outside, "secret.txt"))).toBe("secret");
    await write(jail, join(t.outside, "new.txt"), "x");
    expect(readFileSync(join(t.outside, "new.txt"), "utf8")).toBe("x");
  });

  it("denies every path that leads outside, whether or not it exists", async () => {
    using t = tree();
    symlinkSync(t.outside, join(t.ws, "link"));
    symlinkSync(join(t.outside, "secret.txt"), join(t.ws, "file-link"));
    symlinkSync(join(t.outside, "nothing"), join(t.ws, "dangling"));
    symlinkSync("../outside/deep", join(t.ws, "relative-link"));
    symlinkSync("link/deep", join(t.ws, "link-to-link"));
    const jail = jailOf(t.ws);
    const paths = [
      join(t.outside, "secret.txt"),
      join(t.outside, "missing.txt"),
      `${t.ws}/../outside/secret.txt`,
      `${t.ws}/sub/../../outside/secret.txt`,
      `${t.ws}-beside/x`,
      join(t.ws, "link", "secret.txt"),
      join(t.ws, "link", "missing.txt"),
      join(t.ws, "link", "new", "deeper", "x.txt"),
      join(t.ws, "file-link"),
      join(t.ws, "dangling"),
      join(t.ws, "dangling", "x"),
      join(t.ws, "relative-link", "x"),
      join(t.ws, "link-to-link", "x"),
      t.top,
      "/",
    ];
    for (const path of paths) {
      expect([path, await denialReason(jail.open(path))]).toEqual([path, "outside"]);
      expect([path, await denialReason(write(jail, path, "x"))]).toEqual([path, "outside"]);
    }
    expect(readdirSync(t.outside).toSorted()).toEqual(["deep", "secret.txt"]);
    expect(readdirSync(join(t.outside, "deep"))).toEqual([]);
    expect(readdirSync(t.top).toSorted()).toEqual(["outside", "ws"]);
    expect(readFileSync(join(t.outside, "secret.txt"), "utf8")).toBe("secret");
  });

  it("does not reveal outside names in its errors", async () => {
    using t = tree();
    symlinkSync(join(t.outside, "secret.txt"), join(t.ws, "l"));
    const error: unknown = await jailOf(t.ws)
      .open(join(t.ws, "l"))
      .catch((e: unknown) => e);
    expect(String(error)).not.toContain("secret");
  });

  it("follows links that stay inside, and replaces their targets", async () => {
    using t = tree();
    symlinkSync("../a.txt", join(t.ws, "sub", "link"));
    symlinkSync("sub/made.txt", join(t.ws, "dangling"));
    symlinkSync("later", join(t.ws, "folder-to-be"));
    const jail = jailOf(t.ws);
    expect(await readFile(jail, join(t.ws, "sub", "link"))).toBe("inside");
    await write(jail, join(t.ws, "sub", "link"), "changed");
    expect(readFileSync(join(t.ws, "a.txt"), "utf8")).toBe("changed");
    await write(jail, join(t.ws, "dangling"), "made");
    expect(readFileSync(join(t.ws, "sub", "made.txt"), "utf8")).toBe("made");
    await write(jail, join(t.ws, "folder-to-be", "x.txt"), "x");
    expect(readFileSync(join(t.ws, "later", "x.txt"), "utf8")).toBe("x");
  });

  it("resolves a root that is itself a link", async () => {
    using t = tree();
    symlinkSync(t.ws, join(t.top, "alias"));
    const jail = jailOf(join(t.top, "alias"));
    expect(await readFile(jail, join(t.top, "alias", "a.txt"))).toBe("inside");
    expect(await readFile(jail, join(t.ws, "a.txt"))).toBe("inside");
  });

  it("keeps the real path that a root had when it was pinned", async () => {
    using t = tree();
    const sub = join(t.ws, "sub");
    const jail = jailOf(t.ws, sub);
    await jail.pin();
    rmSync(sub, { recursive: true });
    symlinkSync(t.outside, sub);
    expect(await denialReason(jail.open(join(sub, "secret.txt")))).toBe("outside");
  });

  it("allows a root that is created later, but nothing before that", async () => {
    using t = tree();
    const late = join(t.top, "late");
    const jail = jailOf(late);
    expect(await denialReason(write(jail, join(late, "x"), "x"))).toBe("outside");
    mkdirSync(late);
    await write(jail, join(late, "x"), "x");
    expect(existsSync(join(late, "x"))).toBe(true);
  });

  it.each([
    ["the root", "late", "late"],
    ["the folder above the root", "up/late", "up"],
    ["a folder with a name beyond ASCII", "é日/late", "é日"],
  ])("does not follow a link that appears in the place of %s", async (_what, name, link) => {
    using t = tree();
    mkdirSync(join(t.outside, "late"));
    writeFileSync(join(t.outside, "late", "secret.txt"), "secret");
    const late = join(t.top, name);
    const jail = jailOf(t.ws, late);
    await jail.pin();
    symlinkSync(t.outside, join(t.top, link));
    for (const path of [join(late, "secret.txt"), join(t.outside, "secret.txt")]) {
      expect(await denialReason(jail.open(path))).toBe("outside");
      expect(await denialReason(write(jail, path, "x"))).toBe("outside");
    }
    expect(await denialReason(write(jail, join(late, "new.txt"), "x"))).toBe("outside");
    expect(await denialReason(jail.folder(late))).toBe("outside");
    expect(await jail.whereIs(late)).toMatchObject({ isInside: false });
    rmSync(join(t.top, link));
    mkdirSync(late, { recursive: true });
    await write(jail, join(late, "x"), "x");
    expect(await readFile(jail, join(late, "x"))).toBe("x");
  });

  it("does not follow a link that replaces a root, whether the root existed at the start or appeared later", async () => {
    using t = tree();
    const late = join(t.top, "late");
    const jail = jailOf(t.ws, late);
    await jail.pin();
    mkdirSync(late);
    await write(jail, join(late, "x"), "x");
    for (const root of [t.ws, late]) {
      rmSync(root, { recursive: true });
      symlinkSync(t.outside, root);
      expect(await denialReason(jail.open(join(root, "secret.txt")))).toBe("outside");
      expect(await denialReason(write(jail, join(root, "x"), "x"))).toBe("outside");
      rmSync(root);
      mkdirSync(root);
      await write(jail, join(root, "x"), "x");
    }
  });

  it("keeps to the place that a dangling root led to when it was pinned", async () => {
    using t = tree();
    const [root, place] = [join(t.top, "root"), join(t.top, "place")];
    symlinkSync("place", root);
    const jail = jailOf(root);
    await jail.pin();
    mkdirSync(place);
    await write(jail, join(root, "x"), "x");
    rmSync(root);
    symlinkSync("outside", root);
    expect(await denialReason(jail.open(join(root, "secret.txt")))).toBe("outside");
    expect(await readFile(jail, join(place, "x"))).toBe("x");
  });

  it("does not use a file as a root, nor a root whose links form a loop", async () => {
    using t = tree();
    const [file, loop, late] = [join(t.ws, "a.txt"), join(t.ws, "loop"), join(t.ws, "late")];
    symlinkSync("loop", loop);
    const jail = jailOf(file, loop, late);
    await jail.pin();
    writeFileSync(late, "file");
    rmSync(loop);
    symlinkSync(t.outside, loop);
    for (const path of [file, late, join(loop, "secret.txt")]) {
      expect(await denialReason(jail.open(path))).toBe("outside");
      expect(await denialReason(write(jail, path, "x"))).toBe("outside");
    }
  });

  it("looks up a root once, even if the first calls run at the same time", async () => {
    using t = tree();
    let looks = 0;
    const counting: PathOpener = {
      ...opener,
      open: (path, options) => {
        if (path === t.ws) looks++;
        return opener.open(path, options);
      },
    };
    const jail = new Jail([t.ws], { opener: counting });
    const file = join(t.ws, "a.txt");
    await Promise.all([jail.pin(), jail.pin(), readFile(jail, file), readFile(jail, file)]);
    expect(looks).toBe(1);
  });

  it("lets reads leave the workspace if the option allows it, but never writes", async () => {
    using t = tree();
    const jail = new Jail([t.ws], { opener, allowReadOutsideWorkspace: true });
    expect(await readFile(jail, join(t.outside, "secret.txt"))).toBe("secret");
    expect(await denialReason(jail.open(join(t.outside, "none")))).toBe("not-found");
    expect(await denialReason(write(jail, join(t.outside, "secret.txt"), "x"))).toBe("outside");
    expect(await jail.locate(join(t.outside, "x"), "read")).toBe(join(t.outside, "x"));
    expect(await denialReason(jail.locate(join(t.outside, "x"), "write"))).toBe("outside");
  });

  it("uses regular files only, and never waits for a pipe or a device", async () => {
    using t = tree();
    makeFifo(join(t.ws, "fifo"));
    symlinkSync("/dev/zero", join(t.ws, "device"));
    const server = createServer().listen(join(t.ws, "socket"));
    await once(server, "listening");
    const jail = new Jail([t.ws, "/dev"], { opener });
    for (const name of ["fifo", "socket", "device", "sub"]) {
      const path = join(t.ws, name);
      expect([name, await denialReason(jail.open(path))]).toEqual([name, "not-regular"]);
      expect([name, await denialReason(write(jail, path, "x"))]).toEqual([name, "not-regular"]);
    }
    server.close();
  });

  it.each([
    ["a relative path", "a.txt", "relative"],
    ["an empty path", "", "relative"],
    ["a home path", "~/a.txt", "relative"],
    ["a NUL", "/ws/a\0.txt", "malformed"],
    ["half a character", "/ws/\ud800", "malformed"],
    ["a name of 256 bytes", `/ws/${"é".repeat(128)}`, "too-long"],
    ["a path of 5,000 bytes", `/ws${"/abcd".repeat(1000)}`, "too-long"],
  ])("denies %s", async (_case, path, reason) => {
    using t = tree();
    const jail = jailOf(t.ws);
    const requested = path.replace(/^\/ws/, () => t.ws);
    expect(await denialReason(jail.open(requested))).toBe(reason);
    expect(await denialReason(write(jail, requested, "x"))).toBe(reason);
    expect(readdirSync(t.ws).toSorted()).toEqual(["a.txt", "sub"]);
  });

  it("distinguishes a missing file, a file used as a folder and a loop of links", async () => {
    using t = tree();
    symlinkSync("two", join(t.ws, "one"));
    symlinkSync("one", join(t.ws, "two"));
    const jail = jailOf(t.ws);
    expect(await denialReason(jail.open(join(t.ws, "none")))).toBe("not-found");
    expect(await denialReason(jail.open(join(t.ws, "none", "deeper")))).toBe("not-found");
    expect(await denialReason(jail.open(join(t.ws, "a.txt", "x")))).toBe("not-found");
    expect(await denialReason(write(jail, join(t.ws, "a.txt", "x"), "x"))).toBe("not-a-folder");
    expect(await denialReason(jail.open(join(t.ws, "one")))).toBe("link-loop");
    expect(await denialReason(write(jail, join(t.ws, "one"), "x"))).toBe("link-loop");
  });

  it("creates missing folders, replaces whole files, keeps their mode and leaves no temporary files", async () => {
    using t = tree();
    const jail = jailOf(t.ws);
    const deep = join(t.ws, "x", "y", "z.txt");
    await write(jail, deep, "one");
    chmodSync(deep, 0o750);
    const before = statSync(deep).ino;
    await write(jail, deep, "two");
    expect(readFileSync(deep, "utf8")).toBe("two");
    expect(statSync(deep).mode & 0o777).toBe(0o750);
    expect(statSync(deep).ino).not.toBe(before);
    expect(readdirSync(join(t.ws, "x", "y"))).toEqual(["z.txt"]);
  });

  it("does not replace a read-only file", async () => {
    using t = tree();
    chmodSync(join(t.ws, "a.txt"), 0o444);
    expect(await denialReason(write(jailOf(t.ws), join(t.ws, "a.txt"), "x"))).toBe("read-only");
    expect(readFileSync(join(t.ws, "a.txt"), "utf8")).toBe("inside");
  });

  it("does not change a file that has another name outside", async () => {
    using t = tree();
    linkSync(join(t.outside, "secret.txt"), join(t.ws, "twin"));
    await write(jailOf(t.ws), join(t.ws, "twin"), "mine");
    expect(readFileSync(join(t.outside, "secret.txt"), "utf8")).toBe("secret");
  });

  it("denies a path that no longer leads to the located file", async () => {
    using t = tree();
    const jail = jailOf(t.ws);
    symlinkSync("sub", join(t.ws, "link"));
    const located = await jail.locate(join(t.ws, "link", "new.txt"), "write");
    expect(located).toBe(join(t.ws, "sub", "new.txt"));
    rmSync(join(t.ws, "link"));
    mkdirSync(join(t.ws, "link"));
    const path = join(t.ws, "link", "new.txt");
    expect(await denialReason(jail.replace(path, Buffer.from("x"), located))).toBe("changed");
    writeFileSync(path, "other");
    expect(await denialReason(jail.open(path, located))).toBe("changed");
    expect(await denialReason(jail.folder(join(t.ws, "link"), join(t.ws, "sub")))).toBe("changed");
  });

  it("opens folders for processes to start in", async () => {
    using t = tree();
    symlinkSync(t.outside, join(t.ws, "out"));
    const jail = jailOf(t.ws);
    const folder = await jail.folder(join(t.ws, "sub"));
    expect(folder.path).toBe(join(t.ws, "sub"));
    expect(statSync(folder.entry).ino).toBe(statSync(join(t.ws, "sub")).ino);
    if (opener.bindsToInode) {
      const ino = statSync(folder.entry).ino;
      renameSync(join(t.ws, "sub"), join(t.ws, "moved"));
      symlinkSync(t.outside, join(t.ws, "sub"));
      expect(statSync(folder.entry).ino).toBe(ino);
    }
    await folder.release();
    expect(await denialReason(jail.folder(join(t.ws, "out")))).toBe("outside");
    expect(await denialReason(jail.folder(join(t.ws, "a.txt")))).toBe("not-a-folder");
    expect(await denialReason(jail.folder(join(t.ws, "none")))).toBe("not-found");
  });

  it("serves many writers and readers of one file", async () => {
    using t = tree();
    const jail = jailOf(t.ws);
    const path = join(t.ws, "a.txt");
    const texts = Array.from({ length: 20 }, (_, i) => String(i).repeat(1000));
    const results = await Promise.allSettled(
      texts.flatMap((text) => [write(jail, path, text), readFile(jail, path)]),
    );
    const seen = results.flatMap((r) => (r.status === "fulfilled" && r.value ? [r.value] : []));
    for (const text of seen) expect([...texts, "inside"]).toContain(text);
    expect(texts).toContain(readFileSync(path, "utf8"));
    expect(readdirSync(t.ws).toSorted()).toEqual(["a.txt", "sub"]);
  });
});

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

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
import { handleHolder, pathHolder, type Holder } from "../../src/client/gate/jail/hold.ts";
import { Jail } from "../../src/client/gate/jail/jail.ts";
import { cleanPath, isPlainWindowsPath, isWithin } from "../../src/client/gate/jail/paths.ts";
import { makeFifo, readOpened, refusal, scratch, type Scratch } from "./jail-tree.ts";

const HOLDERS: [string, Holder][] = [["real paths", pathHolder]];
if (process.platform === "linux") HOLDERS.unshift(["open handles", handleHolder]);

const read = readOpened;

const write = (jail: Jail, path: string, text: string): Promise<void> =>
  jail.replace(path, Buffer.from(text));

function tree(): Scratch {
  const made = scratch();
  mkdirSync(join(made.ws, "sub"), { recursive: true });
  mkdirSync(join(made.outside, "deep"), { recursive: true });
  writeFileSync(join(made.ws, "a.txt"), "inside");
  writeFileSync(join(made.outside, "secret.txt"), "secret");
  return made;
}

describe.each(HOLDERS)("the jail, holding files by %s", (_name, holder) => {
  const jailOf = (...roots: string[]): Jail => new Jail(roots, { holder });

  it("reads and writes inside every root", async () => {
    using t = tree();
    const jail = jailOf(t.ws, t.outside);
    expect(await read(jail, join(t.ws, "a.txt"))).toBe("inside");
    expect(await read(jail, join(t.outside, "secret.txt"))).toBe("secret");
    await write(jail, join(t.outside, "new.txt"), "x");
    expect(readFileSync(join(t.outside, "new.txt"), "utf8")).toBe("x");
  });

  it("refuses what leads outside, whether it exists or not, and by whatever way", async () => {
    using t = tree();
    symlinkSync(t.outside, join(t.ws, "link"));
    symlinkSync(join(t.outside, "secret.txt"), join(t.ws, "file-link"));
    symlinkSync(join(t.outside, "nothing"), join(t.ws, "dangling"));
    symlinkSync("../outside/deep", join(t.ws, "relative-link"));
    symlinkSync("link/deep", join(t.ws, "link-to-link"));
    const jail = jailOf(t.ws);
    const ways = [
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
    for (const way of ways) {
      expect([way, await refusal(jail.open(way))]).toEqual([way, "outside"]);
      expect([way, await refusal(write(jail, way, "x"))]).toEqual([way, "outside"]);
    }
    expect(readdirSync(t.outside).toSorted()).toEqual(["deep", "secret.txt"]);
    expect(readdirSync(join(t.outside, "deep"))).toEqual([]);
    expect(readdirSync(t.top).toSorted()).toEqual(["outside", "ws"]);
    expect(readFileSync(join(t.outside, "secret.txt"), "utf8")).toBe("secret");
  });

  it("names nothing of the outside in its refusals", async () => {
    using t = tree();
    symlinkSync(join(t.outside, "secret.txt"), join(t.ws, "l"));
    const error: unknown = await jailOf(t.ws)
      .open(join(t.ws, "l"))
      .catch((e: unknown) => e);
    expect(String(error)).not.toContain("secret");
  });

  it("follows links that stay inside, and replaces what they lead to", async () => {
    using t = tree();
    symlinkSync("../a.txt", join(t.ws, "sub", "link"));
    symlinkSync("sub/made.txt", join(t.ws, "dangling"));
    symlinkSync("later", join(t.ws, "folder-to-be"));
    const jail = jailOf(t.ws);
    expect(await read(jail, join(t.ws, "sub", "link"))).toBe("inside");
    await write(jail, join(t.ws, "sub", "link"), "changed");
    expect(readFileSync(join(t.ws, "a.txt"), "utf8")).toBe("changed");
    await write(jail, join(t.ws, "dangling"), "made");
    expect(readFileSync(join(t.ws, "sub", "made.txt"), "utf8")).toBe("made");
    await write(jail, join(t.ws, "folder-to-be", "x.txt"), "x");
    expect(readFileSync(join(t.ws, "later", "x.txt"), "utf8")).toBe("x");
  });

  it("takes a root that is itself a link for the folder it leads to", async () => {
    using t = tree();
    symlinkSync(t.ws, join(t.top, "alias"));
    const jail = jailOf(join(t.top, "alias"));
    expect(await read(jail, join(t.top, "alias", "a.txt"))).toBe("inside");
    expect(await read(jail, join(t.ws, "a.txt"))).toBe("inside");
  });

  it("keeps to where a root stood when it was pinned", async () => {
    using t = tree();
    const sub = join(t.ws, "sub");
    const jail = jailOf(t.ws, sub);
    await jail.pin();
    rmSync(sub, { recursive: true });
    symlinkSync(t.outside, sub);
    expect(await refusal(jail.open(join(sub, "secret.txt")))).toBe("outside");
  });

  it("serves a root that comes into being later, and nothing before", async () => {
    using t = tree();
    const late = join(t.top, "late");
    const jail = jailOf(late);
    expect(await refusal(write(jail, join(late, "x"), "x"))).toBe("outside");
    mkdirSync(late);
    await write(jail, join(late, "x"), "x");
    expect(existsSync(join(late, "x"))).toBe(true);
  });

  it("lets reads leave when told to, and writes never", async () => {
    using t = tree();
    const jail = new Jail([t.ws], { holder, allowReadOutsideWorkspace: true });
    expect(await read(jail, join(t.outside, "secret.txt"))).toBe("secret");
    expect(await refusal(jail.open(join(t.outside, "none")))).toBe("not-found");
    expect(await refusal(write(jail, join(t.outside, "secret.txt"), "x"))).toBe("outside");
    expect(await jail.locate(join(t.outside, "x"), "read")).toBe(join(t.outside, "x"));
    expect(await refusal(jail.locate(join(t.outside, "x"), "write"))).toBe("outside");
  });

  it("uses regular files only, and never waits for one that is not", async () => {
    using t = tree();
    makeFifo(join(t.ws, "fifo"));
    symlinkSync("/dev/zero", join(t.ws, "device"));
    const server = createServer().listen(join(t.ws, "socket"));
    await once(server, "listening");
    const jail = new Jail([t.ws, "/dev"], { holder });
    for (const name of ["fifo", "socket", "device", "sub"]) {
      const path = join(t.ws, name);
      expect([name, await refusal(jail.open(path))]).toEqual([name, "not-regular"]);
      expect([name, await refusal(write(jail, path, "x"))]).toEqual([name, "not-regular"]);
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
  ])("refuses %s", async (_what, path, reason) => {
    using t = tree();
    const jail = jailOf(t.ws);
    const asked = path.replace(/^\/ws/, () => t.ws);
    expect(await refusal(jail.open(asked))).toBe(reason);
    expect(await refusal(write(jail, asked, "x"))).toBe(reason);
    expect(readdirSync(t.ws).toSorted()).toEqual(["a.txt", "sub"]);
  });

  it("tells a missing file, a file taken for a folder and a circle of links apart", async () => {
    using t = tree();
    symlinkSync("two", join(t.ws, "one"));
    symlinkSync("one", join(t.ws, "two"));
    const jail = jailOf(t.ws);
    expect(await refusal(jail.open(join(t.ws, "none")))).toBe("not-found");
    expect(await refusal(jail.open(join(t.ws, "none", "deeper")))).toBe("not-found");
    expect(await refusal(jail.open(join(t.ws, "a.txt", "x")))).toBe("not-found");
    expect(await refusal(write(jail, join(t.ws, "a.txt", "x"), "x"))).toBe("not-a-folder");
    expect(await refusal(jail.open(join(t.ws, "one")))).toBe("link-loop");
    expect(await refusal(write(jail, join(t.ws, "one"), "x"))).toBe("link-loop");
  });

  it("makes the folders a file lacks, replaces whole files, keeps their mode, leaves no drafts", async () => {
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

  it("refuses to replace a read-only file", async () => {
    using t = tree();
    chmodSync(join(t.ws, "a.txt"), 0o444);
    expect(await refusal(write(jailOf(t.ws), join(t.ws, "a.txt"), "x"))).toBe("read-only");
    expect(readFileSync(join(t.ws, "a.txt"), "utf8")).toBe("inside");
  });

  it("does not change the other name of a file that has two", async () => {
    using t = tree();
    linkSync(join(t.outside, "secret.txt"), join(t.ws, "twin"));
    await write(jailOf(t.ws), join(t.ws, "twin"), "mine");
    expect(readFileSync(join(t.outside, "secret.txt"), "utf8")).toBe("secret");
  });

  it("locates files for those who ask before they act, and then insists on the place", async () => {
    using t = tree();
    const jail = jailOf(t.ws);
    symlinkSync("sub", join(t.ws, "way"));
    const place = await jail.locate(join(t.ws, "way", "new.txt"), "write");
    expect(place).toBe(join(t.ws, "sub", "new.txt"));
    rmSync(join(t.ws, "way"));
    mkdirSync(join(t.ws, "way"));
    const asked = join(t.ws, "way", "new.txt");
    expect(await refusal(jail.replace(asked, Buffer.from("x"), place))).toBe("changed");
    writeFileSync(asked, "other");
    expect(await refusal(jail.open(asked, place))).toBe("changed");
    expect(await refusal(jail.folder(join(t.ws, "way"), join(t.ws, "sub")))).toBe("changed");
  });

  it("holds folders for processes to start in", async () => {
    using t = tree();
    symlinkSync(t.outside, join(t.ws, "out"));
    const jail = jailOf(t.ws);
    const held = await jail.folder(join(t.ws, "sub"));
    expect(held.path).toBe(join(t.ws, "sub"));
    expect(statSync(held.entry).ino).toBe(statSync(join(t.ws, "sub")).ino);
    if (holder.staysWithIt) {
      const ino = statSync(held.entry).ino;
      renameSync(join(t.ws, "sub"), join(t.ws, "moved"));
      symlinkSync(t.outside, join(t.ws, "sub"));
      expect(statSync(held.entry).ino).toBe(ino);
    }
    await held.release();
    expect(await refusal(jail.folder(join(t.ws, "out")))).toBe("outside");
    expect(await refusal(jail.folder(join(t.ws, "a.txt")))).toBe("not-a-folder");
    expect(await refusal(jail.folder(join(t.ws, "none")))).toBe("not-found");
  });

  it("copes with many writers and readers of one file", async () => {
    using t = tree();
    const jail = jailOf(t.ws);
    const path = join(t.ws, "a.txt");
    const texts = Array.from({ length: 20 }, (_, i) => String(i).repeat(1000));
    const results = await Promise.allSettled(
      texts.flatMap((text) => [write(jail, path, text), read(jail, path)]),
    );
    const seen = results.flatMap((r) => (r.status === "fulfilled" && r.value ? [r.value] : []));
    for (const text of seen) expect([...texts, "inside"]).toContain(text);
    expect(texts).toContain(readFileSync(path, "utf8"));
    expect(readdirSync(t.ws).toSorted()).toEqual(["a.txt", "sub"]);
  });
});

describe("clean paths", () => {
  it.each([
    ["/a/./b//c/../d", "/a/b/d"],
    ["/..", "/"],
    ["/a/", "/a"],
  ])("makes %s into %s", (path, clean) => {
    expect(cleanPath(path, "linux")).toBe(clean);
  });

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
  ])("on Windows, finds %s plain: %s", (path, plain) => {
    expect(isPlainWindowsPath(path)).toBe(plain);
  });

  it.each([
    ["/ws", "/ws", true],
    ["/ws/a", "/ws", true],
    ["/ws2", "/ws", false],
    ["/", "/ws", false],
    ["/x", "/", true],
    ["/WS/a", "/ws", false],
  ])("finds %s within %s: %s", (real, root, within) => {
    expect(isWithin(real, root, "linux")).toBe(within);
  });
});

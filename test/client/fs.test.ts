import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText, readWindow, sliceLines } from "../../src/client/gate/providers/text-window.ts";
import type { FsProvider } from "../../src/client/gate/providers/fs.ts";
import { open } from "node:fs/promises";
import { seed, times } from "../support/soak.ts";
import { harness, wire, type Harness } from "./gate-harness.ts";
import { makeFifo, scratch } from "./jail-tree.ts";

const READ = "fs/read_text_file";
const WRITE = "fs/write_text_file";
const WRITING = { permissions: "write", capabilities: { fs: { writeTextFile: true } } } as const;

function file(h: Harness, name: string, content: string | Buffer): string {
  const path = join(h.tree.ws, name);
  writeFileSync(path, content);
  return path;
}

describe("reading", () => {
  const TEXT = "one\ntwo\r\nthree\n\nfive";
  it.each<[{ line?: number | null; limit?: number | null }, string]>([
    [{}, TEXT],
    [{ line: 1 }, TEXT],
    [{ line: 0 }, TEXT],
    [{ line: null, limit: null }, TEXT],
    [{ limit: 1 }, "one\n"],
    [{ limit: 2 }, "one\ntwo\r\n"],
    [{ line: 2, limit: 1 }, "two\r\n"],
    [{ line: 4, limit: 1 }, "\n"],
    [{ line: 5 }, "five"],
    [{ line: 5, limit: 100 }, "five"],
    [{ line: 6 }, ""],
    [{ line: 1_000_000 }, ""],
    [{ limit: 0 }, ""],
  ])("with %j gives %j", async (window, content) => {
    await using h = harness();
    expect(await h.ask(READ, { path: file(h, "a", TEXT), ...window })).toEqual({ content });
    expect(
      sliceLines(TEXT, { line: window.line ?? undefined, limit: window.limit ?? undefined }),
    ).toBe(content);
  });

  it("keeps a byte order mark and every character", async () => {
    await using h = harness();
    const text = "\ufeffé 日本 🦊\r\n";
    expect(await h.ask(READ, { path: file(h, "a", text) })).toEqual({ content: text });
    expect(await h.ask(READ, { path: file(h, "b", "") })).toEqual({ content: "" });
  });

  it.each([
    ["a NUL", Buffer.from("a\0b")],
    ["bytes that are no UTF-8", Buffer.from([0x61, 0xff, 0xfe])],
    ["half a character at the end", Buffer.from("é").subarray(0, 1)],
    ["UTF-16", Buffer.from("hello", "utf16le")],
  ])("refuses a file with %s", async (_what, bytes) => {
    await using h = harness();
    const error = await h.refused(READ, { path: file(h, "a", bytes) });
    expect(error).toMatchObject({ code: -32602, data: { reason: "binary" } });
  });

  it("answers a missing file with -32002 and its address, or with nothing where told to", async () => {
    await using h = harness();
    const path = join(h.tree.ws, "not there", "x");
    expect(wire(await h.refused(READ, { path }))).toMatchObject({
      code: -32002,
      data: { uri: pathToFileURL(path).href },
    });
    await using lenient = harness({ fs: { missingFile: "empty" } });
    const there = join(lenient.tree.ws, "x");
    expect(await lenient.ask(READ, { path: there })).toEqual({ content: "" });
    const outside = join(lenient.tree.outside, "x");
    expect(await lenient.refused(READ, { path: outside })).toMatchObject({
      data: { reason: "outside" },
    });
  });

  it.each([
    ["outside", (h: Harness) => join(h.tree.outside, "x")],
    ["outside", (h: Harness) => `${h.tree.ws}/../outside/x`],
    ["not-regular", (h: Harness) => h.tree.ws],
    ["too-long", (h: Harness) => join(h.tree.ws, "x".repeat(300))],
  ])("refuses with -32602 what is %s", async (reason, path) => {
    await using h = harness();
    const error = await h.refused(READ, { path: path(h) });
    expect(wire(error)).toEqual({ code: -32602, data: { path: path(h), reason } });
  });

  it("does not wait for a pipe", async () => {
    await using h = harness();
    makeFifo(join(h.tree.ws, "pipe"));
    const error = await h.refused(READ, { path: join(h.tree.ws, "pipe") });
    expect(error.data).toMatchObject({ reason: "not-regular" });
  });

  it("leaves the workspace only where told to", async () => {
    await using h = harness({ allowReadOutsideWorkspace: true, ...WRITING });
    const path = join(h.tree.outside, "x");
    writeFileSync(path, "out");
    expect(await h.ask(READ, { path })).toEqual({ content: "out" });
    const error = await h.refused(WRITE, { path, content: "mine" });
    expect(error.data).toMatchObject({ reason: "outside" });
  });

  it("refuses to read more than its bound at once, and serves any part", async () => {
    await using h = harness({ fs: { maxReadBytes: 1000 } });
    const path = file(h, "a", "0123456789\n".repeat(200));
    expect((await h.refused(READ, { path })).data).toMatchObject({ reason: "too-large" });
    const far = await h.refused(READ, { path, line: 2 });
    expect(far.data).toMatchObject({ reason: "too-large" });
    expect(await h.ask(READ, { path, line: 150, limit: 1 })).toEqual({ content: "0123456789\n" });
  });

  it("reads a window of a huge file in little memory, and no further than it must", async () => {
    await using h = harness();
    const path = join(h.tree.ws, "huge");
    const fd = openSync(path, "w");
    const block = Buffer.from(`${"x".repeat(1023)}\n`.repeat(1024));
    for (let i = 0; i < 64; i++) writeSync(fd, block);
    // A hole of a terabyte: reading into it would never end.
    ftruncateSync(fd, 2 ** 40);
    closeSync(fd);
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    }, 1);
    const answer = await h.ask(READ, { path, line: 60_000, limit: 2 });
    clearInterval(watch);
    expect(answer).toEqual({ content: `${"x".repeat(1023)}\n`.repeat(2) });
    expect(peak - before).toBeLessThan(16 * 1024 * 1024);
  });

  it.runIf(process.platform === "linux")(
    "serves thousands of requests at once with a few handles",
    async () => {
      await using h = harness();
      const path = file(h, "a", "x");
      const before = readdirSync("/proc/self/fd").length;
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, readdirSync("/proc/self/fd").length);
      }, 1);
      const reads = Array.from({ length: 2_000 }, () => h.ask(READ, { path }));
      expect(new Set((await Promise.all(reads)).map((one) => JSON.stringify(one))).size).toBe(1);
      clearInterval(watch);
      expect(peak - before).toBeLessThan(200);
      expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before + 2);
    },
  );

  it.each([
    ["the agent withdraws its request", (_h: Harness, given: AbortController) => given.abort()],
    ["the turn is cancelled", (h: Harness) => h.session.cancel()],
  ])("stops looking for a line when %s", async (_what, stop) => {
    await using h = harness();
    const path = join(h.tree.ws, "hole");
    const fd = openSync(path, "w");
    ftruncateSync(fd, 2 ** 40);
    closeSync(fd);
    const given = new AbortController();
    const reading = h.ask(READ, { path, line: 2, limit: 1 }, given.signal);
    setTimeout(() => stop(h, given), 20);
    await expect(reading).rejects.toMatchObject({ code: -32800 });
  });

  it("gives the lines that splitting would give, wherever the chunks fall", async () => {
    using tree = scratch();
    mkdirSync(tree.ws);
    const path = join(tree.ws, "a");
    const piece = fc.oneof(
      fc.constantFrom("\n", "\r\n", "", "é", "🦊", "x"),
      fc.integer({ min: 65_530, max: 65_540 }).map((n) => "y".repeat(n)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.nat(8),
        fc.option(fc.nat(8), { nil: undefined }),
        async (pieces, line, limit) => {
          const text = pieces.join("");
          writeFileSync(path, text);
          const handle = await open(path);
          try {
            const bytes = await readWindow(handle, path, { line, limit }, Infinity);
            const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
            const start = Math.max(line, 1) - 1;
            const expected = lines.slice(start, limit === undefined ? undefined : start + limit);
            expect(decodeText(bytes, path)).toBe(expected.join(""));
            expect(sliceLines(text, { line, limit })).toBe(expected.join(""));
          } finally {
            await handle.close();
          }
        },
      ),
      { seed, numRuns: times(100, 2_000) },
    );
  });
});

describe("writing", () => {
  it("is not there unless switched on", async () => {
    await using h = harness({ permissions: "all" });
    expect(h.gate.capabilities.fs).toEqual({ readTextFile: true, writeTextFile: false });
    const error = await h.refused(WRITE, { path: join(h.tree.ws, "x"), content: "" });
    expect(error.code).toBe(-32601);
    expect(existsSync(join(h.tree.ws, "x"))).toBe(false);
  });

  it("makes files and folders, replaces files, keeps their mode and what is written", async () => {
    await using h = harness(WRITING);
    const path = join(h.tree.ws, "new", "folder", "x");
    expect(await h.ask(WRITE, { path, content: "é\r\n" })).toEqual({});
    expect(readFileSync(path, "utf8")).toBe("é\r\n");
    chmodSync(path, 0o711);
    await h.ask(WRITE, { path, content: "" });
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["", 0o711]);
  });

  it("never leaves the workspace", async () => {
    await using h = harness({ ...WRITING, permissions: "all" });
    symlinkSync(h.tree.outside, join(h.tree.ws, "link"));
    const error = await h.refused(WRITE, { path: join(h.tree.ws, "link", "x"), content: "x" });
    expect(error.data).toMatchObject({ reason: "outside" });
    expect(existsSync(join(h.tree.outside, "x"))).toBe(false);
  });

  it("does not follow a path that came to lead elsewhere while a person was asked", async () => {
    let decide: (decision: "allow") => void = () => {};
    const decision = new Promise<"allow">((resolve) => {
      decide = resolve;
    });
    await using h = harness({ ...WRITING, permissions: () => decision });
    mkdirSync(join(h.tree.ws, "a"));
    mkdirSync(join(h.tree.ws, "b"));
    symlinkSync("a", join(h.tree.ws, "way"));
    const writing = h.refused(WRITE, { path: join(h.tree.ws, "way", "x"), content: "x" });
    while (h.session.open < 1) await new Promise(setImmediate);
    symlinkSync("b", join(h.tree.ws, "way2"));
    renameSync(join(h.tree.ws, "way2"), join(h.tree.ws, "way"));
    decide("allow");
    expect((await writing).data).toMatchObject({ reason: "changed" });
    expect(existsSync(join(h.tree.ws, "b", "x"))).toBe(false);
  });
});

describe("a provider of files", () => {
  it("is the one called, with the real path, and may pass on to the disk", async () => {
    const seen: string[] = [];
    const provider: FsProvider = {
      readTextFile: (request, disk) => {
        seen.push(`read ${request.path} ${request.line}`);
        return request.line === 7 ? disk() : "unsaved";
      },
      writeTextFile: async (request, disk) => {
        seen.push(`write ${request.path} ${request.content}`);
        if (request.content !== "mine") await disk();
      },
    };
    await using h = harness({ ...WRITING, fs: { provider } });
    mkdirSync(join(h.tree.ws, "real"));
    symlinkSync("real", join(h.tree.ws, "link"));
    const path = join(h.tree.ws, "link", "a");
    const real = join(h.tree.ws, "real", "a");
    expect(await h.ask(READ, { path })).toEqual({ content: "unsaved" });
    await h.ask(WRITE, { path, content: "mine" });
    expect(existsSync(real)).toBe(false);
    await h.ask(WRITE, { path, content: "1\n2\n3\n4\n5\n6\n7" });
    expect(await h.ask(READ, { path, line: 7 })).toEqual({ content: "7" });
    expect(seen[0]).toBe(`read ${real} undefined`);
    expect(seen).toHaveLength(4);
  });

  it("is not reached by what the jail or the policy refuses", async () => {
    let calls = 0;
    const provider: FsProvider = {
      readTextFile: () => {
        calls++;
        return "x";
      },
    };
    await using h = harness({ fs: { provider } });
    await h.refused(READ, { path: join(h.tree.outside, "x") });
    await using deny = harness({ fs: { provider }, permissions: "deny" });
    await deny.refused(READ, { path: join(deny.tree.ws, "x") });
    expect(calls).toBe(0);
  });

  it("that never answers is left behind when the turn is cancelled", async () => {
    const provider: FsProvider = {
      readTextFile: () => new Promise<string>(() => {}),
      writeTextFile: () => new Promise<void>(() => {}),
    };
    await using h = harness({ ...WRITING, fs: { provider } });
    const path = join(h.tree.ws, "x");
    const answers = [h.refused(READ, { path }), h.refused(WRITE, { path, content: "" })];
    await new Promise(setImmediate);
    h.session.cancel();
    expect((await Promise.all(answers)).map(({ code }) => code)).toEqual([-32800, -32800]);
  });

  it("that throws fails that one request", async () => {
    const provider: FsProvider = { readTextFile: () => Promise.reject(new Error("broken")) };
    await using h = harness({ fs: { provider } });
    await expect(h.ask(READ, { path: join(h.tree.ws, "x") })).rejects.toThrow("broken");
  });
});

describe("the log of file operations", () => {
  it("has path, byte count and error, and no content", async () => {
    await using h = harness(WRITING);
    const path = join(h.tree.ws, "x");
    await h.ask(WRITE, { path, content: "sécret" });
    await h.ask(READ, { path });
    await h.refused(READ, { path: join(h.tree.outside, "y") });
    const about = h.logs.filter(({ message }) => message.startsWith("fs/"));
    expect(
      about.map(({ message, fields }) => [message, fields?.["path"], fields?.["bytes"]]),
    ).toEqual([
      [WRITE, path, 7],
      [READ, path, 7],
      [`${READ} failed`, join(h.tree.outside, "y"), undefined],
    ]);
    expect(about[2]?.fields?.["reason"]).toBe("outside");
    expect(JSON.stringify(h.logs)).not.toContain("sécret");
  });
});

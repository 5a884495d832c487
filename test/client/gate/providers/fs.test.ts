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
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { FsProvider } from "../../../../src/client/gate/providers/provider.ts";
import { codeAndData, harness, type Harness } from "../harness.ts";
import { makeFifo } from "../scratch.ts";
import { failure } from "../virtual-files.ts";
import { sliceLines } from "../../../../src/client/gate/providers/text-window.ts";

const READ = "fs/read_text_file";
const WRITE = "fs/write_text_file";
const WRITING = { permissions: "write", capabilities: { fs: { writeTextFile: true } } } as const;

function file(h: Harness, name: string, content: string | Buffer): string {
  const path = join(h.tree.ws, name);
  writeFileSync(path, content);
  return path;
}

/** Watches all file handles, and reports the first read. */
async function watchReads(): Promise<Disposable & { readonly started: Promise<void> }> {
  const own = await open(process.execPath);
  const prototype = Object.getPrototypeOf(own) as FileHandle;
  await own.close();
  const read: unknown = Reflect.get(prototype, "read");
  if (typeof read !== "function") throw new Error("a file handle cannot read");
  let onRead: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    onRead = resolve;
  });
  Reflect.set(prototype, "read", function (this: FileHandle, ...args: unknown[]): unknown {
    onRead();
    return Reflect.apply(read, this, args);
  });
  return { started, [Symbol.dispose]: () => void Reflect.set(prototype, "read", read) };
}

describe("reading a file", () => {
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
  ])("with the window %j returns %j", async (window, content) => {
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
    ["bytes that are not UTF-8", Buffer.from([0x61, 0xff, 0xfe])],
    ["half a character at the end", Buffer.from("é").subarray(0, 1)],
    ["UTF-16", Buffer.from("hello", "utf16le")],
  ])("fails for a file with %s", async (_case, bytes) => {
    await using h = harness();
    const error = await h.failure(READ, { path: file(h, "a", bytes) });
    expect(error).toMatchObject({ rpcCode: -32602, data: { reason: "binary" } });
  });

  it("answers a missing file with -32002 and its URI, or with an empty text if the option says so", async () => {
    await using h = harness();
    const path = join(h.tree.ws, "not there", "x");
    expect(codeAndData(await h.failure(READ, { path }))).toMatchObject({
      code: -32002,
      data: { uri: pathToFileURL(path).href },
    });
    await using lenient = harness({ fs: { missingFile: "empty" } });
    const missing = join(lenient.tree.ws, "x");
    expect(await lenient.ask(READ, { path: missing })).toEqual({ content: "" });
    const outside = join(lenient.tree.outside, "x");
    expect(await lenient.failure(READ, { path: outside })).toMatchObject({
      data: { reason: "outside" },
    });
  });

  it.each([
    ["outside", (h: Harness) => join(h.tree.outside, "x")],
    ["outside", (h: Harness) => `${h.tree.ws}/../outside/x`],
    ["not-regular", (h: Harness) => h.tree.ws],
    ["too-long", (h: Harness) => join(h.tree.ws, "x".repeat(300))],
  ])("fails with -32602 for the reason %s", async (reason, path) => {
    await using h = harness();
    const error = await h.failure(READ, { path: path(h) });
    expect(codeAndData(error)).toEqual({ code: -32602, data: { path: path(h), reason } });
  });

  it("does not wait for a pipe", async () => {
    await using h = harness();
    makeFifo(join(h.tree.ws, "pipe"));
    const error = await h.failure(READ, { path: join(h.tree.ws, "pipe") });
    expect(error.data).toMatchObject({ reason: "not-regular" });
  });

  it("leaves the workspace only if the option allows it", async () => {
    await using h = harness({ allowReadOutsideWorkspace: true, ...WRITING });
    const path = join(h.tree.outside, "x");
    writeFileSync(path, "out");
    expect(await h.ask(READ, { path })).toEqual({ content: "out" });
    const error = await h.failure(WRITE, { path, content: "mine" });
    expect(error.data).toMatchObject({ reason: "outside" });
  });

  it("does not read more than the limit at once, but any part of a file", async () => {
    await using h = harness({ fs: { maxReadBytes: 1000 } });
    const path = file(h, "a", "0123456789\n".repeat(200));
    expect((await h.failure(READ, { path })).data).toMatchObject({ reason: "too-large" });
    const rest = await h.failure(READ, { path, line: 2 });
    expect(rest.data).toMatchObject({ reason: "too-large" });
    expect(await h.ask(READ, { path, line: 150, limit: 1 })).toEqual({ content: "0123456789\n" });
  });

  it("reads a window of a huge file in little memory, and stops where the window ends", async () => {
    await using h = harness();
    const path = join(h.tree.ws, "huge");
    const fd = openSync(path, "w");
    const block = Buffer.from(`${"x".repeat(1023)}\n`.repeat(1024));
    for (let i = 0; i < 64; i++) writeSync(fd, block);
    // A hole of a terabyte, which would take forever to read.
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
    "answers thousands of requests at once with a few file descriptors",
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
    ["the agent cancels its request", (_h: Harness, request: AbortController) => request.abort()],
    ["the turn is cancelled", (h: Harness) => h.session.cancel()],
  ])("stops searching for a line when %s", async (_case, stop) => {
    await using h = harness();
    const path = join(h.tree.ws, "hole");
    const fd = openSync(path, "w");
    ftruncateSync(fd, 2 ** 40);
    closeSync(fd);
    const request = new AbortController();
    using reads = await watchReads();
    const reading = h.ask(READ, { path, line: 2, limit: 1 }, request.signal);
    await reads.started;
    stop(h, request);
    await expect(reading).rejects.toMatchObject({ rpcCode: -32800 });
  });
});

describe("writing a file", () => {
  it("is not possible unless it is switched on", async () => {
    await using h = harness({ permissions: "all" });
    expect(h.gate.capabilities.fs).toEqual({ readTextFile: true, writeTextFile: false });
    const error = await h.failure(WRITE, { path: join(h.tree.ws, "x"), content: "" });
    expect(error.rpcCode).toBe(-32601);
    expect(existsSync(join(h.tree.ws, "x"))).toBe(false);
  });

  it("creates files and folders, replaces files and keeps their mode", async () => {
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
    const error = await h.failure(WRITE, { path: join(h.tree.ws, "link", "x"), content: "x" });
    expect(error.data).toMatchObject({ reason: "outside" });
    expect(existsSync(join(h.tree.outside, "x"))).toBe(false);
  });

  it("fails if the path changes while a person is asked", async () => {
    let decide: (decision: "allow") => void = () => {};
    const decision = new Promise<"allow">((resolve) => {
      decide = resolve;
    });
    await using h = harness({ ...WRITING, permissions: () => decision });
    mkdirSync(join(h.tree.ws, "a"));
    mkdirSync(join(h.tree.ws, "b"));
    symlinkSync("a", join(h.tree.ws, "link"));
    const writing = h.failure(WRITE, { path: join(h.tree.ws, "link", "x"), content: "x" });
    while (h.session.open < 1) await new Promise(setImmediate);
    symlinkSync("b", join(h.tree.ws, "link2"));
    renameSync(join(h.tree.ws, "link2"), join(h.tree.ws, "link"));
    decide("allow");
    expect((await writing).data).toMatchObject({ reason: "changed" });
    expect(existsSync(join(h.tree.ws, "b", "x"))).toBe(false);
  });
});

describe("a file provider", () => {
  it("is called with the real path, and may fall back to the disk", async () => {
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

  it("is not called if the jail or the policy denies the request", async () => {
    let calls = 0;
    const provider: FsProvider = {
      readTextFile: () => {
        calls++;
        return "x";
      },
    };
    await using h = harness({ fs: { provider } });
    await h.failure(READ, { path: join(h.tree.outside, "x") });
    await using deny = harness({ fs: { provider }, permissions: "deny" });
    await deny.failure(READ, { path: join(deny.tree.ws, "x") });
    expect(calls).toBe(0);
  });

  it("that never answers does not outlast a cancelled turn", async () => {
    const calls: string[] = [];
    const never = <T>(method: string): Promise<T> => {
      calls.push(method);
      return new Promise<T>(() => {});
    };
    const provider: FsProvider = {
      readTextFile: () => never<string>(READ),
      writeTextFile: () => never<void>(WRITE),
    };
    await using h = harness({ ...WRITING, fs: { provider } });
    const path = join(h.tree.ws, "x");
    const answers = [h.failure(READ, { path }), h.failure(WRITE, { path, content: "" })];
    while (calls.length < 2) await new Promise(setImmediate);
    h.session.cancel();
    expect((await Promise.all(answers)).map(({ rpcCode }) => rpcCode)).toEqual([-32800, -32800]);
  });

  it.each([
    ["ENOENT", -32002],
    ["EISDIR", -32602],
    ["EACCES", -32603],
  ])("that fails with %s gets its error code", async (code, expected) => {
    const fail = (): never => {
      throw failure(code);
    };
    await using h = harness({
      ...WRITING,
      fs: { provider: { readTextFile: fail, writeTextFile: fail } },
    });
    const path = join(h.tree.ws, "a");
    expect((await h.failure(READ, { path })).rpcCode).toBe(expected);
    expect((await h.failure(WRITE, { path, content: "" })).rpcCode).toBe(expected);
  });

  it("that reports a missing file is answered with an empty text if the option says so", async () => {
    const readTextFile = (): never => {
      throw failure("ENOENT");
    };
    await using h = harness({ fs: { provider: { readTextFile }, missingFile: "empty" } });
    expect(await h.ask(READ, { path: join(h.tree.ws, "a") })).toEqual({ content: "" });
  });

  it("that throws fails only that request", async () => {
    const provider: FsProvider = { readTextFile: () => Promise.reject(new Error("broken")) };
    await using h = harness({ fs: { provider } });
    await expect(h.ask(READ, { path: join(h.tree.ws, "x") })).rejects.toThrow("broken");
  });
});

describe("the log of file operations", () => {
  it("has the path, byte count and error, but no content", async () => {
    await using h = harness(WRITING);
    const path = join(h.tree.ws, "x");
    await h.ask(WRITE, { path, content: "sécret" });
    await h.ask(READ, { path });
    await h.failure(READ, { path: join(h.tree.outside, "y") });
    const entries = h.logs.filter(({ message }) => message.startsWith("fs/"));
    expect(
      entries.map(({ message, fields }) => [message, fields?.["path"], fields?.["bytes"]]),
    ).toEqual([
      [WRITE, path, 7],
      [READ, path, 7],
      [`${READ} failed`, join(h.tree.outside, "y"), undefined],
    ]);
    expect(entries[2]?.fields?.["reason"]).toBe("outside");
    expect(JSON.stringify(h.logs)).not.toContain("sécret");
  });
});

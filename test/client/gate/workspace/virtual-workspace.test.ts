import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { describe, expect, it } from "vitest";
import { AgentGate } from "../../../../src/client/gate/gate.ts";
import type { GateOptions } from "../../../../src/client/gate/access.ts";
import type { PermissionRequest } from "../../../../src/client/gate/permissions/policy.ts";
import { localTerminals } from "../../../../src/client/gate/providers/local-terminals.ts";
import { RpcError } from "../../../../src/transport/rpc/errors.ts";
import { fakeTerminals } from "../fake-terminals.ts";
import { codeAndData, OPTIONS, TestSession } from "../harness.ts";
import { failure, virtualFiles } from "../virtual-files.ts";

const READ = "fs/read_text_file";
const WRITE = "fs/write_text_file";
const WRITING = { permissions: "write", capabilities: { fs: { writeTextFile: true } } } as const;

/** A session in a folder that does not exist on this disk. */
function elsewhere(options: GateOptions, roots: readonly string[] = ["/container/ws"]) {
  const gate = new AgentGate(options);
  const session = new TestSession("s1", roots, gate);
  const signal = new AbortController().signal;
  const ask = (method: string, params: object): Promise<unknown> =>
    gate.request(
      method,
      { sessionId: "s1", ...params },
      { id: 1, bytes: 0, signal },
      () => session,
    );
  const failed = async (method: string, params: object): Promise<RpcError> => {
    const error: unknown = await ask(method, params).catch((caught: unknown) => caught);
    if (error instanceof RpcError) return error;
    throw new Error(`${method} did not fail with an RpcError`, { cause: error });
  };
  return { gate, session, ask, failed };
}

/** Records every call to the functions of `node:fs` and `node:fs/promises` that take a path. */
function watchDisk(): Disposable & { readonly calls: string[] } {
  const calls: string[] = [];
  const restores = [fs, fs.promises].flatMap((module) =>
    ["access", "lstat", "mkdir", "open", "opendir", "readdir", "readFile", "readlink", "realpath"]
      .concat(["rename", "stat", "unlink", "writeFile"])
      .map((name) => {
        const original: unknown = Reflect.get(module, name);
        if (typeof original !== "function") throw new Error(`there is no fs.${name}`);
        Reflect.set(module, name, (...args: unknown[]): unknown => {
          calls.push(`${name} ${String(args[0])}`);
          return Reflect.apply(original, module, args);
        });
        return () => void Reflect.set(module, name, original);
      }),
  );
  syncBuiltinESMExports();
  return {
    calls,
    [Symbol.dispose]() {
      for (const restore of restores) restore();
      syncBuiltinESMExports();
    },
  };
}

describe("files that are not on this disk", () => {
  it("are read, replaced and created through their provider", async () => {
    const tree = virtualFiles({ "/container/ws/a.txt": "one\ntwo\n" });
    const { ask } = elsewhere({ ...WRITING, fs: { provider: tree.provider } });
    expect(await ask(READ, { path: "/container/ws/a.txt" })).toEqual({ content: "one\ntwo\n" });
    const second = { path: "/container/ws/a.txt", line: 2, limit: 1 };
    expect(await ask(READ, second)).toEqual({ content: "two\n" });
    await ask(WRITE, { path: "/container/ws/deep/b.txt", content: "new" });
    expect(tree.files.get("/container/ws/deep/b.txt")).toBe("new");
  });

  it("never touch this disk, whether they are used, judged, missing or outside", async () => {
    const tree = virtualFiles({ "/container/ws/a.txt": "x" }, { "/container/ws/out": "/etc" });
    const terminals = fakeTerminals();
    const options = { fs: { provider: tree.provider }, terminal: terminals.provider };
    const { ask, session } = elsewhere({ ...WRITING, ...options, permissions: "all" });
    using disk = watchDisk();
    fs.statSync("/");
    await fs.promises.stat("/");
    expect(disk.calls.splice(0)).toEqual(["stat /"]);
    await session.access.workspace.pin();
    await ask(READ, { path: "/container/ws/a.txt" });
    await ask(WRITE, { path: "/container/ws/b", content: "" });
    await ask(READ, { path: "/container/ws/gone" }).catch(() => {});
    await ask(READ, { path: "/container/ws/out/passwd" }).catch(() => {});
    await ask("terminal/create", { command: "ls", cwd: "/container/ws" });
    await ask("session/request_permission", {
      toolCall: { toolCallId: "t", kind: "edit", locations: [{ path: "/container/ws/a.txt" }] },
      options: OPTIONS,
    });
    expect(disk.calls).toEqual([]);
  });

  it.each([
    ["a path outside the roots", "/etc/passwd"],
    ["a path that leaves them as text", "/container/ws/../secret"],
    ["a link that leads out", "/container/ws/link"],
    ["a folder link that leads out", "/container/ws/folder/x"],
    ["a relative link that leads out", "/container/ws/up/x"],
    ["a link to a file outside that does not exist yet", "/container/ws/dangling"],
    ["a sibling whose name starts like the root", "/container/ws2/x"],
  ])("are denied behind %s", async (_case, path) => {
    const links = {
      "/container/ws/link": "/etc/passwd",
      "/container/ws/folder": "/etc",
      "/container/ws/up": "../other",
      "/container/ws/dangling": "/tmp/not-yet",
    };
    const tree = virtualFiles({ "/etc/passwd": "secret", "/container/ws2/x": "secret" }, links);
    const { failed } = elsewhere({ ...WRITING, fs: { provider: tree.provider } });
    for (const [method, more] of [
      [READ, {}],
      [WRITE, { content: "bad" }],
    ] as const) {
      const error = await failed(method, { path, ...more });
      expect(codeAndData(error)).toEqual({ code: -32602, data: { path, reason: "outside" } });
      expect(error.message).toBe(
        `${JSON.stringify(path)}: the path leads outside the session's workspace`,
      );
    }
    expect(tree.asked.filter((call) => !call.startsWith("realpath"))).toEqual([]);
  });

  it("may be read behind a link that stays inside, under their real path", async () => {
    const tree = virtualFiles({ "/data/a": "x" }, { "/container": "/data", "/data/b": "a" });
    const { ask } = elsewhere({ fs: { provider: tree.provider } }, ["/container"]);
    expect(await ask(READ, { path: "/container/b" })).toEqual({ content: "x" });
    expect(tree.asked.at(-1)).toBe("read /data/a");
  });

  it("leave the workspace for reading only if the option allows it", async () => {
    const tree = virtualFiles({ "/etc/hosts": "x" });
    const options = { ...WRITING, fs: { provider: tree.provider } };
    const { ask, failed } = elsewhere({ ...options, allowReadOutsideWorkspace: true });
    expect(await ask(READ, { path: "/etc/hosts" })).toEqual({ content: "x" });
    expect((await failed(WRITE, { path: "/etc/hosts", content: "" })).rpcCode).toBe(-32602);
  });

  it("belong to a root as it was when the session started", async () => {
    const tree = virtualFiles({ "/etc/passwd": "secret" });
    const { session, failed } = elsewhere({ fs: { provider: tree.provider } });
    await session.access.workspace.pin();
    tree.links.set("/container/ws", "/etc");
    const error = await failed(READ, { path: "/container/ws/passwd" });
    expect(error.data).toMatchObject({ reason: "outside" });
  });

  it("are denied if a link takes their place while a person is asked", async () => {
    const tree = virtualFiles({ "/container/ws/a": "x", "/etc/passwd": "secret" });
    const { failed } = elsewhere({
      permissions: () => {
        tree.links.set("/container/ws/a", "/etc/passwd");
        return "allow";
      },
      capabilities: { fs: { writeTextFile: true } },
      fs: { provider: tree.provider },
    });
    const error = await failed(READ, { path: "/container/ws/a" });
    expect(error.data).toMatchObject({ reason: "changed" });
    tree.links.clear();
    const written = await failed(WRITE, { path: "/container/ws/a", content: "bad" });
    expect(written.data).toMatchObject({ reason: "changed" });
    expect(tree.files.get("/etc/passwd")).toBe("secret");
  });
});

describe("Windows paths on any system", () => {
  const roots = ["C:\\ws"];

  it("are resolved and confined by their own rules", async () => {
    const tree = virtualFiles({ "C:\\ws\\a.txt": "x" }, { "C:\\ws\\out": "D:\\" });
    const { ask, failed } = elsewhere({ ...WRITING, fs: { provider: tree.provider } }, roots);
    expect(await ask(READ, { path: "C:/ws/sub/../a.txt" })).toEqual({ content: "x" });
    for (const [path, reason] of [
      ["C:\\ws\\out\\x", "outside"],
      ["C:\\ws\\..\\x", "outside"],
      ["C:\\ws2\\x", "outside"],
      ["C:\\ws\\nul", "malformed"],
      ["\\\\?\\C:\\ws\\a.txt", "malformed"],
      ["/ws/a.txt", "malformed"],
    ] as const) {
      const error = await failed(READ, { path });
      expect([path, error.data]).toEqual([path, { path, reason }]);
    }
  });

  it("become URIs that do not depend on this system", async () => {
    const { provider } = virtualFiles();
    const { failed } = elsewhere({ fs: { provider } }, roots);
    const error = await failed(READ, { path: "C:\\ws\\a b.txt" });
    expect(codeAndData(error)).toEqual({
      code: -32002,
      data: { uri: "file:///C:/ws/a%20b.txt", reason: "not-found" },
    });
  });

  it("are not absolute in a POSIX workspace", async () => {
    const { provider } = virtualFiles();
    const { failed } = elsewhere({ fs: { provider } });
    expect((await failed(READ, { path: "C:\\ws\\a" })).data).toMatchObject({ reason: "relative" });
  });
});

describe("an error of a file provider", () => {
  const path = "/container/ws/a";

  it.each([
    ["ENOENT", -32002, { uri: "file:///container/ws/a", reason: "not-found" }, "no such file"],
    ["EISDIR", -32602, { path, reason: "not-regular" }, "not a regular file"],
    ["ENOTDIR", -32602, { path, reason: "not-a-folder" }, "part of the path is not a folder"],
    ["EACCES", -32603, { path, reason: "no-access" }, "access was denied"],
    ["EPERM", -32603, { path, reason: "no-access" }, "access was denied"],
    ["EROFS", -32603, { path, reason: "read-only" }, "the file is read-only"],
    ["EIO", -32603, { path, reason: "failed" }, "the operation failed (EIO)"],
  ])("with the code %s is reported as what it means", async (code, rpcCode, data, words) => {
    const fail = (): never => {
      throw failure(code);
    };
    const { provider } = virtualFiles();
    const failing = { ...provider, readTextFile: fail, writeTextFile: fail };
    const { failed } = elsewhere({ ...WRITING, fs: { provider: failing } });
    const errors = [await failed(READ, { path }), await failed(WRITE, { path, content: "" })];
    for (const error of errors) {
      expect(codeAndData(error)).toEqual({ code: rpcCode, data });
      expect(error.message).toContain(words);
      expect(error.message).not.toMatch(/disk|system/);
    }
  });

  it("that says ENOENT is an empty text if the option says so, for reads only", async () => {
    const { provider } = virtualFiles();
    const gone = { ...provider, writeTextFile: () => Promise.reject(failure("ENOENT")) };
    const fs = { provider: gone, missingFile: "empty" } as const;
    const { ask, failed } = elsewhere({ ...WRITING, fs });
    expect(await ask(READ, { path })).toEqual({ content: "" });
    expect((await failed(WRITE, { path, content: "" })).rpcCode).toBe(-32002);
  });

  it("from realpath that says ENOENT is a missing file too, after permission was given", async () => {
    const strict = {
      ...virtualFiles().provider,
      realpath: () => Promise.reject(failure("ENOENT")),
    };
    const fs = { provider: strict, missingFile: "empty" } as const;
    const reading = elsewhere({ ...WRITING, fs });
    expect(await reading.ask(READ, { path })).toEqual({ content: "" });
    expect((await reading.failed(READ, { path: "/etc/x" })).data).toMatchObject({
      reason: "outside",
    });
    expect((await reading.failed(WRITE, { path, content: "" })).rpcCode).toBe(-32002);
    const denying = elsewhere({ permissions: "deny", fs });
    expect((await denying.failed(READ, { path })).rpcCode).toBe(-32003);
  });

  it("without a code of a file system keeps its message, and fails only that request", async () => {
    const { provider } = virtualFiles();
    const broken = { ...provider, readTextFile: () => Promise.reject(new Error("no network")) };
    const { ask } = elsewhere({ fs: { provider: broken } });
    await expect(ask(READ, { path })).rejects.toThrow("no network");
  });

  it.each([["relative/path"], [""], ["/a\0b"]])(
    "is reported if realpath returns %j, which is not an absolute path",
    async (real) => {
      const { provider } = virtualFiles();
      const { failed } = elsewhere({ fs: { provider: { ...provider, realpath: () => real } } });
      expect((await failed(READ, { path })).data).toEqual({ path, reason: "failed" });
    },
  );
});

describe("a file provider with paths of its own", () => {
  it("that never answers does not outlast a cancelled turn", async () => {
    const never = (): Promise<never> => new Promise(() => {});
    const { provider } = virtualFiles();
    for (const stuck of [
      { ...provider, realpath: never },
      { ...provider, readTextFile: never },
    ]) {
      const { ask, session } = elsewhere({ fs: { provider: stuck } });
      const read = ask(READ, { path: "/container/ws/a" });
      const permission = ask("session/request_permission", {
        toolCall: { toolCallId: "t", kind: "edit", locations: [{ path: "/container/ws/a" }] },
        options: OPTIONS,
      });
      session.cancel();
      await expect(read).rejects.toMatchObject({ rpcCode: -32800 });
      expect(await permission).toEqual({ outcome: { outcome: "cancelled" } });
    }
  });

  it("decides where the targets of a tool call are", async () => {
    const seen: PermissionRequest[] = [];
    const { provider } = virtualFiles({}, { "/container/ws/out": "/etc" });
    const { ask } = elsewhere({
      permissions: (request) => {
        seen.push(request);
        return "deny";
      },
      fs: { provider },
    });
    const locations = [{ path: "a.txt" }, { path: "/container/ws/out/passwd" }];
    await ask("session/request_permission", {
      toolCall: { toolCallId: "t", kind: "edit", locations },
      options: OPTIONS,
    });
    expect(seen[0]?.targets.paths).toEqual([
      { path: "/container/ws/a.txt", realPath: "/container/ws/a.txt", isInside: true },
      { path: "/container/ws/out/passwd", realPath: "/etc/passwd", isInside: false },
    ]);
  });

  it("gives commands their folder, and denies one outside", async () => {
    const { provider } = virtualFiles({}, { "/container/ws/out": "/" });
    const terminals = fakeTerminals();
    const { ask, failed } = elsewhere({
      permissions: "all",
      fs: { provider },
      terminal: terminals.provider,
    });
    await ask("terminal/create", { command: "ls" });
    expect(terminals.requests).toMatchObject([{ cwd: "/container/ws", entry: "/container/ws" }]);
    const error = await failed("terminal/create", { command: "ls", cwd: "/container/ws/out" });
    expect(error.data).toMatchObject({ reason: "outside" });
  });

  it("cannot be combined with terminals of this machine", () => {
    const { provider } = virtualFiles();
    expect(() => new AgentGate({ fs: { provider }, terminal: localTerminals() })).toThrow(
      "the files are not on this disk",
    );
  });

  it("answers only the methods it has", async () => {
    const { provider } = virtualFiles();
    const readOnly = { realpath: provider.realpath, readTextFile: () => "x" };
    const { ask, failed } = elsewhere({ ...WRITING, fs: { provider: readOnly } });
    expect(await ask(READ, { path: "/container/ws/a" })).toEqual({ content: "x" });
    expect((await failed(WRITE, { path: "/container/ws/a", content: "" })).rpcCode).toBe(-32601);
  });

  it("cannot return more than the limit at once", async () => {
    const { provider } = virtualFiles({ "/container/ws/a": "éé" });
    const small = elsewhere({ fs: { provider, maxReadBytes: 3 } });
    expect((await small.failed(READ, { path: "/container/ws/a" })).data).toMatchObject({
      reason: "too-large",
    });
    const enough = elsewhere({ fs: { provider, maxReadBytes: 4 } });
    expect(await enough.ask(READ, { path: "/container/ws/a" })).toEqual({ content: "éé" });
  });

  it.each([
    ["fails", () => Promise.reject(new Error("no network")), "no network"],
    ["has a loop of links", () => Promise.reject(failure("ELOOP")), "ELOOP"],
    ["returns nonsense", () => "somewhere", '"somewhere": the path is not absolute'],
  ])(
    "that %s for the session's folder keeps the session from starting",
    async (_case, realpath, why) => {
      const { session } = elsewhere({ fs: { provider: { realpath } } });
      await expect(session.access.workspace.pin()).rejects.toMatchObject({
        name: "InvalidArgumentError",
        message: expect.stringContaining(why),
      });
    },
  );
});

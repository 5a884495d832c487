import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type HubClientOptions,
  type HubRoots,
  openRoots,
  parseRoot,
  rootChecker,
  RootError,
} from "../../../src/host/hub/index.ts";
import { RpcError } from "../../../src/transport/rpc/index.ts";

let top: string;
let roots: HubRoots;
beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "roots-")));
  for (const folder of ["repo/src", "docs", "secret", "other"]) {
    await mkdir(join(top, folder), { recursive: true });
  }
  await writeFile(join(top, "repo/file"), "text");
  await symlink("../secret", join(top, "repo/out"));
  await symlink("src", join(top, "repo/in"));
  await symlink("../docs", join(top, "repo/manual"));
  await symlink("loop", join(top, "repo/loop"));
  await symlink("repo", join(top, "link"));
  roots = await openRoots([
    { name: "repo", folder: join(top, "repo") },
    { name: "docs", folder: join(top, "docs") },
  ]);
});
afterAll(() => rm(top, { recursive: true }));

const CLIENT: HubClientOptions = {
  agent: { name: "a", key: "a", open: () => Promise.reject(new Error("not started")) },
  owner: "me",
};

/** Opens a session with these params. `$` stands for the folder of the test. */
async function check(params: object, allowed?: readonly string[], method = "session/new") {
  const here = JSON.stringify(params).replaceAll("$", top);
  const text: string = JSON.stringify(
    await rootChecker(roots, { allowed })({ method, params: JSON.parse(here), client: CLIENT }),
  );
  return JSON.parse(text.replaceAll(top, "$"));
}

/** The error that a request is refused with. */
async function refusal(params: object, allowed?: readonly string[]): Promise<RpcError> {
  try {
    await check(params, allowed);
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
  throw new Error("the request was not refused");
}

describe("a working folder", () => {
  it.each([
    ["/repo", "$/repo"],
    ["repo", "$/repo"],
    ["/repo/", "$/repo"],
    ["/repo/src", "$/repo/src"],
    ["repo/src/..", "$/repo"],
    ["$/repo/src", "$/repo/src"],
    ["$/link/src", "$/repo/src"],
    ["/repo/in", "$/repo/src"],
    ["$/repo/manual", "$/docs"],
    ["$/docs/../repo", "$/repo"],
  ])("%s becomes the real path %s", async (cwd, real) => {
    expect(await check({ cwd, mcpServers: [] })).toEqual({ cwd: real, mcpServers: [] });
  });

  it.each([
    ["a path outside the roots", "$/secret"],
    ["the folder above the roots", "$"],
    ["the top of the disk", "/"],
    ["a path that does not exist", "$/nowhere"],
    ["a path that begins like a root", "$/repository"],
    ["a link that leads out of its root", "$/repo/out"],
    ["a link that leads out of the named root", "/repo/out"],
    ["a link from the named root into another one", "/repo/manual"],
    ["`..` out of a root", "$/repo/../secret"],
    ["`..` out of a named root", "/repo/../secret"],
    ["`..` from a named root into another one", "/repo/../docs"],
    ["an unknown root", "nope"],
    ["a path in an unknown root", "/nope/src"],
    ["a relative path", "./repo"],
    ["a loop of links", "/repo/loop"],
    ["a NUL", "/repo/\0"],
    ["a path that is too long", `/repo/${"x".repeat(300)}`],
  ])("that is %s is refused, and the error names no path", async (_, cwd) => {
    const { rpcCode: code, message, data } = await refusal({ cwd });
    expect({ code, message, data }).toEqual({
      code: -32602,
      message: "cwd is not inside a root of this server",
      data: { field: "cwd" },
    });
  });

  it.each([
    ["/repo/missing", "cwd does not exist"],
    ["/repo/file", "cwd is not a folder"],
    ["", "cwd is missing"],
    [undefined, "cwd is missing"],
    [7, "cwd is missing"],
  ])("%s inside a root is refused with the reason", async (cwd, message) => {
    expect((await refusal({ cwd })).message).toBe(message);
  });

  it("does not follow a root that was replaced by a link", async () => {
    const folder = join(top, "moving");
    await mkdir(folder);
    const opened = await openRoots([{ name: "moving", folder }]);
    await rename(folder, join(top, "moved"));
    await symlink("secret", folder);
    const request = { method: "session/new", params: { cwd: "/moving" }, client: CLIENT };
    await expect(rootChecker(opened)(request)).rejects.toThrow(
      "cwd is not inside a root of this server",
    );
  });
});

describe("a token with roots", () => {
  it("opens sessions in its own roots", async () => {
    expect(await check({ cwd: "/docs" }, ["docs"])).toEqual({ cwd: "$/docs" });
  });
  it.each(["/repo", "repo", "$/repo/src", "/docs/../repo"])(
    "is refused for %s in another root, as if there was no such root",
    async (cwd) => {
      expect((await refusal({ cwd }, ["docs"])).message).toBe(
        "cwd is not inside a root of this server",
      );
    },
  );
  it("is not helped by a link from another root", async () => {
    expect((await refusal({ cwd: "$/repo/manual" }, ["repo"])).rpcCode).toBe(-32602);
    expect(await check({ cwd: "$/repo/manual" }, ["docs"])).toEqual({ cwd: "$/docs" });
  });
  it("is looked up for each client", async () => {
    const allowed = ({ owner }: HubClientOptions) => (owner === "me" ? [] : undefined);
    const request = { method: "session/load", params: { cwd: "/repo" }, client: CLIENT };
    await expect(rootChecker(roots, { allowed })(request)).rejects.toThrow(RpcError);
    const other = { ...request, client: { ...CLIENT, owner: "you" } };
    await expect(rootChecker(roots, { allowed })(other)).resolves.toBeDefined();
  });
});

describe("additional directories", () => {
  it("are checked like the working folder", async () => {
    expect(await check({ cwd: "/repo", additionalDirectories: ["/docs", "repo/src"] })).toEqual({
      cwd: "$/repo",
      additionalDirectories: ["$/docs", "$/repo/src"],
    });
    const outside = { cwd: "/repo", additionalDirectories: ["/docs", "$/secret"] };
    expect((await refusal(outside)).message).toBe(
      "additionalDirectories[1] is not inside a root of this server",
    );
    const wrong = { cwd: "/repo", additionalDirectories: "/docs" };
    expect((await refusal(wrong)).message).toBe("additionalDirectories is not a list of folders");
  });
});

describe("MCP servers of a client", () => {
  const http = { type: "http", name: "h", url: "http://127.0.0.1:1/", headers: [] };
  it("pass if they are reached over the network", async () => {
    const mcpServers = [http, { ...http, type: "sse" }, { type: "acp", name: "a", id: "1" }];
    expect(await check({ cwd: "/repo", mcpServers })).toEqual({ cwd: "$/repo", mcpServers });
  });
  it.each([
    ["without a type", { name: "s", command: "sh", args: [], env: [] }],
    ["of the type stdio", { type: "stdio", name: "s", command: "sh" }],
    ["of an unknown type", { type: "exec", name: "s" }],
    ["of the type http with a command", { ...http, command: "sh" }],
    ["that are not objects", "sh"],
  ])("%s are refused", async (_, server) => {
    expect((await refusal({ cwd: "/repo", mcpServers: [http, server] })).message).toBe(
      "mcpServers[1] would start a command on the server: use http",
    );
  });
});

describe("the roots of a server", () => {
  it.each([
    ["/a/b", { name: "b", folder: "/a/b" }],
    ["b", { name: "b", folder: "/cwd/b" }],
    ["x=/a/b", { name: "x", folder: "/a/b" }],
    ["x=b/../c", { name: "x", folder: "/cwd/c" }],
    ["/a/b=c", undefined],
    ["x=/a/b=c", { name: "x", folder: "/a/b=c" }],
    ["/", undefined],
    ["x=", undefined],
    ["..=/a", undefined],
    ["a b=/a", undefined],
  ])("%s are read as %j", (text, root) => {
    if (root) expect(parseRoot(text, "/cwd")).toEqual(root);
    else expect(() => parseRoot(text, "/cwd")).toThrow(RootError);
  });

  it.each([
    ["two have the same name", ["a=$/repo", "a=$/docs"], "two roots have the name a"],
    [
      "one does not exist",
      ["a=$/gone"],
      "the folder of the root a does not exist, or is not a folder",
    ],
    [
      "one is a file",
      ["a=$/repo/file"],
      "the folder of the root a does not exist, or is not a folder",
    ],
  ])("cannot be opened if %s", async (_, texts, message) => {
    const list = texts.map((text) => parseRoot(text.replace("$", top), "/"));
    await expect(openRoots(list)).rejects.toThrow(new RootError(message));
  });
  it("cannot be opened if a name could also be the beginning of a path", async () => {
    const [, first = ""] = top.split("/");
    await expect(openRoots([{ name: first, folder: join(top, "repo") }])).rejects.toThrow(
      `/${first} could mean the root ${first} or a part of ${join(top, "repo")}`,
    );
  });
  it("tell which of them a session is in", () => {
    expect(roots.namesOf(join(top, "repo/src"))).toEqual(["repo"]);
    expect(roots.namesOf(join(top, "repository"))).toEqual([]);
    expect(roots.namesOf(join(top, "docs"))).toEqual(["docs"]);
  });
});

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { toolServer } from "../../../src/entries/tools.ts";
import type { OpenToolServer } from "../../../src/tools/index.ts";
import type { StdioToolEndpoint } from "../../../src/tools/index.ts";
import { runToolBridge } from "../../../src/tools/index.ts";
import { redactValue } from "../../../src/base/index.ts";
import { connectSocket } from "../../../src/transport/wire/index.ts";
import { greet } from "../fixtures.ts";

const bridge = { command: "bridge", args: ["--flag"] };
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function open(): Promise<OpenToolServer<StdioToolEndpoint>> {
  const opened = await toolServer({ name: "shop", tools: [greet], bridge }).open("stdio");
  cleanups.push(() => opened.close());
  return opened;
}

function socketOf({ env }: StdioToolEndpoint): string {
  return env["DRAGOMAN_TOOLS_SOCKET"] ?? "";
}

/** Runs the program that an agent starts, with streams of the test. */
function run(env: Readonly<Record<string, string>>) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let errors = "";
  const stderr = { write: (text: string) => (errors += text) };
  const code = runToolBridge(env, { stdin, stdout, stderr });
  return { stdin, stdout, code, errors: () => errors };
}

const ping = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`;

describe("the bridge for agents without HTTP", () => {
  it("has its token in the environment and not in the arguments", async () => {
    const { endpoint } = await open();
    const { command, args, env } = endpoint;
    expect({ command, args }).toEqual(bridge);
    const token = env["DRAGOMAN_TOOLS_TOKEN"];
    expect(token).toMatch(/^[\w-]{43}$/);
    const asInAcp = Object.entries(env).map(([name, value]) => ({ name, value }));
    for (const given of [env, asInAcp]) {
      expect(JSON.stringify(redactValue({ ...endpoint, env: given }))).not.toContain(token);
    }
  });

  it("has a socket that only this user can reach, and removes it", async () => {
    const opened = await open();
    const path = socketOf(opened.endpoint);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    await opened.close();
    expect(existsSync(dirname(path))).toBe(false);
  });

  it("passes messages until the agent ends its input", async () => {
    const { endpoint } = await open();
    const { stdin, stdout, code } = run(endpoint.env);
    stdin.write(ping);
    const [answer] = await new Promise<string[]>((resolve) => {
      stdout.once("data", (chunk: Buffer) => resolve([chunk.toString()]));
    });
    expect(JSON.parse(answer ?? "")).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    stdin.end();
    expect(await code).toBe(0);
  });

  it("ends when the server closes", async () => {
    const opened = await open();
    const { stdin, stdout, code } = run(opened.endpoint.env);
    stdin.write(ping);
    await new Promise((resolve) => stdout.once("data", resolve));
    await opened.close();
    expect(await code).toBe(0);
  });

  it("closes a connection that does not begin with the token", async () => {
    const { endpoint } = await open();
    const channel = await connectSocket({ path: socketOf(endpoint) });
    const lines: string[] = [];
    channel.open((line) => lines.push(line));
    await channel.send(ping.trim());
    await channel.closed;
    expect(lines).toEqual([]);
  });

  it("finds the command of the package from the current folder", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "dragoman-bridge-")));
    const inPackage = join(folder, "node_modules", "dragoman");
    await mkdir(join(inPackage, "dist"), { recursive: true });
    await mkdir(join(folder, "src"));
    await writeFile(join(inPackage, "dist", "cli.js"), "");
    const manifest = { name: "dragoman", bin: { dragoman: "dist/cli.js" } };
    await writeFile(join(inPackage, "package.json"), JSON.stringify(manifest));
    const { argv } = process;
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(join(folder, "src"));
    process.argv = [process.execPath];
    try {
      const opened = await toolServer({ name: "shop", tools: [greet] }).open("stdio");
      cleanups.push(() => opened.close());
      const { command, args } = opened.endpoint;
      expect(command).toBe(process.execPath);
      expect(args).toEqual([join(inPackage, "dist", "cli.js"), "tool-bridge"]);
      await rm(join(folder, "node_modules"), { recursive: true });
      const failed = toolServer({ name: "shop", tools: [greet] }).open("stdio");
      await expect(failed).rejects.toMatchObject({ code: "unavailable" });
    } finally {
      process.argv = argv;
      cwd.mockRestore();
      await rm(folder, { recursive: true });
    }
  });

  it.each<[string, Readonly<Record<string, string>>, number, string]>([
    ["no address", {}, 2, "are not set"],
    [
      "an address without a server",
      { DRAGOMAN_TOOLS_SOCKET: "/nowhere", DRAGOMAN_TOOLS_TOKEN: "x" },
      1,
      "ENOENT",
    ],
  ])("reports %s", async (_name, env, code, message) => {
    const { code: exit, errors } = run(env);
    expect(await exit).toBe(code);
    expect(errors()).toContain(message);
  });
});

// The gate between a real agent process and this machine.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AcpClient, localTerminals, type GateOptions } from "../../../src/entries/dragoman.ts";
import { isAlive } from "../../base/process/alive.ts";
import { scratch } from "./scratch.ts";

const AGENT = fileURLToPath(new URL("../../support/gate-agent.mjs", import.meta.url));

interface Answer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly data?: unknown };
}

async function startAgent(options: GateOptions) {
  const tree = scratch();
  mkdirSync(tree.ws);
  mkdirSync(tree.outside);
  const client = await AcpClient.start({ command: process.execPath, args: [AGENT], ...options });
  const session = await client.newSession({ cwd: tree.ws });
  return {
    tree,
    client,
    session,
    async send(...requests: readonly (readonly [string, object])[]): Promise<Answer[]> {
      return JSON.parse(await session.prompt(JSON.stringify(requests)).text()) as Answer[];
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      tree[Symbol.dispose]();
    },
  };
}

const everything: GateOptions = {
  permissions: "all",
  capabilities: { fs: { writeTextFile: true } },
  terminal: localTerminals({ shell: ["sh", "-c"], termMs: 100 }),
};

describe.runIf(process.platform === "linux")("an agent process behind the gate", () => {
  it("receives exactly the capabilities that are open", async () => {
    await using a = await startAgent({});
    const received = JSON.parse(a.client.agent.info?.version ?? "") as object;
    expect(received).toMatchObject({
      fs: { readTextFile: true, writeTextFile: false },
      terminal: false,
    });
  });

  it("cannot read or change anything outside the workspace", async () => {
    await using a = await startAgent(everything);
    const secret = join(a.tree.outside, "secret");
    writeFileSync(secret, "secret");
    symlinkSync(a.tree.outside, join(a.tree.ws, "link"));
    const paths = [secret, join(a.tree.ws, "link", "secret"), `${a.tree.ws}/../outside/secret`];
    const answers = await a.send(
      ...paths.map((path) => ["fs/read_text_file", { path }] as const),
      ...paths.map((path) => ["fs/write_text_file", { path, content: "x" }] as const),
      ["fs/write_text_file", { path: join(a.tree.ws, "link", "new", "x"), content: "x" }],
      ["terminal/create", { command: "pwd", cwd: a.tree.outside }],
    );
    expect(answers.map(({ error }) => error?.code)).toEqual(answers.map(() => -32602));
    expect(JSON.stringify(answers)).not.toContain('"secret"');
    expect(readFileSync(secret, "utf8")).toBe("secret");
    expect(existsSync(join(a.tree.outside, "new"))).toBe(false);
  });

  it("is bound by the policy even if it never asks for permission", async () => {
    await using a = await startAgent({ ...everything, permissions: "read" });
    writeFileSync(join(a.tree.ws, "a"), "x");
    const answers = await a.send(
      ["fs/read_text_file", { path: join(a.tree.ws, "a") }],
      ["fs/write_text_file", { path: join(a.tree.ws, "a"), content: "y" }],
      ["terminal/create", { command: "echo y > a" }],
    );
    expect(answers[0]?.result).toEqual({ content: "x" });
    expect(answers.slice(1).map(({ error }) => error?.code)).toEqual([-32003, -32003]);
    expect(readFileSync(join(a.tree.ws, "a"), "utf8")).toBe("x");
  });

  it("reads, writes and runs commands if the policy allows it", async () => {
    await using a = await startAgent(everything);
    const path = join(a.tree.ws, "new", "a");
    const answers = await a.send(
      ["fs/write_text_file", { path, content: "one\ntwo\n" }],
      ["fs/read_text_file", { path, line: 2, limit: 1 }],
      ["terminal/create", { command: "cat new/a" }],
      ["terminal/wait_for_exit", { terminalId: "$2.terminalId" }],
      ["terminal/output", { terminalId: "$2.terminalId" }],
      ["terminal/release", { terminalId: "$2.terminalId" }],
    );
    expect(answers[1]?.result).toEqual({ content: "two\n" });
    expect(answers[4]?.result).toMatchObject({ output: "one\ntwo\n", exitStatus: { exitCode: 0 } });
  });

  const BACKGROUND =
    "sleep 300 & echo $! > pid; setsid sleep 300 & echo $! >> pid; echo $$ >> pid; wait";
  const startProcesses = async (a: Awaited<ReturnType<typeof startAgent>>): Promise<number[]> => {
    await a.send(["terminal/create", { command: BACKGROUND }]);
    const file = join(a.tree.ws, "pid");
    const read = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
    while (read().split("\n").length < 4) await new Promise(setImmediate);
    return read().trim().split("\n").map(Number);
  };

  it.each([
    ["the session is closed", (a: Awaited<ReturnType<typeof startAgent>>) => a.session.close()],
    ["the client is closed", (a: Awaited<ReturnType<typeof startAgent>>) => a.client.close()],
  ])(
    "leaves no process behind when %s, even if it forgot to release a terminal",
    async (_case, end) => {
      await using a = await startAgent(everything);
      const pids = await startProcesses(a);
      expect(pids.filter(isAlive)).toEqual(pids);
      await end(a);
      expect(pids.filter(isAlive)).toEqual([]);
    },
  );

  it("leaves no process behind when it exits without releasing a terminal", async () => {
    await using a = await startAgent(everything);
    const pids = await startProcesses(a);
    await expect(a.session.prompt("exit").result).rejects.toThrow();
    await a.client.closed;
    await a.client.close();
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

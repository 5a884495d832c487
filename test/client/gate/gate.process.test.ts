// The gate between a real agent process and this machine.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AcpClient, localTerminals } from "../../../src/entries/dragoman.ts";
import type { GateOptions } from "../../../src/client/index.ts";
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

  it("leaves no process behind when it exits without releasing a terminal", async () => {
    await using a = await startAgent(everything);
    const command =
      "sleep 300 & echo $! > pid; setsid sleep 300 & echo $! >> pid; echo $$ >> pid; wait";
    await a.send(["terminal/create", { command }]);
    const file = join(a.tree.ws, "pid");
    const read = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
    while (read().split("\n").length < 4) await new Promise(setImmediate);
    const pids = read().trim().split("\n").map(Number);
    await expect(a.session.prompt("exit").result).rejects.toThrow();
    await a.client.closed;
    await a.client.close();
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

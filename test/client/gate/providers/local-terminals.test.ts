import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GateOptions } from "../../../../src/client/gate/access.ts";
import { localTerminals } from "../../../../src/client/gate/providers/local-terminals.ts";
import type { TerminalEvent } from "../../../../src/client/gate/providers/provider.ts";
import { bundleOf } from "../../../support/agents/bundle.ts";
import { isAlive, kill, untilNone } from "../../../base/process/alive.ts";
import { harness, type Harness } from "../harness.ts";
import { makeFifo, scratch } from "../scratch.ts";
import { CREATE, create, output, type Output } from "./terminal-calls.ts";

/** Not a login shell, which would read the user's profile and take longer. */
const SHELL = { shell: ["sh", "-c"] } as const;
const allowed = (options: GateOptions = {}): GateOptions => ({
  permissions: "all",
  terminal: localTerminals(SHELL),
  ...options,
});

/** Runs a command to its end. */
async function run(h: Harness, command: string, more: object = {}): Promise<Output> {
  const terminalId = await create(h, command, more);
  await h.ask("terminal/wait_for_exit", { terminalId });
  const result = await output(h, terminalId);
  await h.ask("terminal/release", { terminalId });
  return result;
}

/** Waits until a command has written its process ids to a file, and reads them. */
async function pidsFrom(path: string, count: number): Promise<number[]> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const pids = text.split("\n").slice(0, -1).map(Number);
    if (pids.length >= count) return pids;
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

/** Processes that do not exit: a child, one outside the process group, one that ignores SIGTERM. */
const TREE = `
echo $$ >> pids
sleep 300 & echo $! >> pids
setsid sh -c 'echo $$ >> pids; sleep 300' &
sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done' &
wait
`;
const TREE_SIZE = 4;

describe.runIf(process.platform === "linux")("a local terminal", () => {
  it("runs a command line in a shell in the session's folder, and keeps stdout and stderr in order", async () => {
    await using h = harness(allowed({ terminal: localTerminals() }));
    const result = await run(h, "pwd; echo one; echo two >&2; echo three; exit 3");
    expect(result).toEqual({
      output: `${h.tree.ws}\none\ntwo\nthree\n`,
      truncated: false,
      exitStatus: { exitCode: 3, signal: null },
    });
  });

  it("runs a program with unchanged arguments and its environment variables", async () => {
    await using h = harness(allowed());
    mkdirSync(join(h.tree.ws, "sub"));
    const result = await run(h, "sh", {
      args: ["-c", 'echo "$1|$FOO|$PWD"', "sh", "$(echo no); 'x'"],
      env: [{ name: "FOO", value: "b a r" }],
      cwd: join(h.tree.ws, "sub"),
    });
    expect(result.output).toBe(`$(echo no); 'x'|b a r|${join(h.tree.ws, "sub")}\n`);
  });

  it("exits with 127 if the command does not exist", async () => {
    await using h = harness(allowed());
    const result = await run(h, "no-such-command", { args: ["x"] });
    expect(result.exitStatus).toEqual({ exitCode: 127, signal: null });
    expect(result.output).toContain("not found");
  });

  it("has an empty stdin, so a command that reads it does not wait", async () => {
    await using h = harness(allowed());
    expect(await run(h, "cat; echo end")).toMatchObject({ output: "end\n" });
  });

  it("returns output while the command runs, and ends the wait when the command ends", async () => {
    await using h = harness(allowed());
    makeFifo(join(h.tree.ws, "fifo"));
    const terminalId = await create(h, "echo ready; read -r line < fifo; echo $line");
    const waiting = h.ask("terminal/wait_for_exit", { terminalId });
    while (!(await output(h, terminalId)).output.includes("ready")) await new Promise(setImmediate);
    expect(await output(h, terminalId)).toEqual({ output: "ready\n", truncated: false });
    await writeFile(join(h.tree.ws, "fifo"), "go\n");
    expect(await waiting).toEqual({ exitCode: 0, signal: null });
    expect((await output(h, terminalId)).output).toBe("ready\ngo\n");
  });

  it("keeps the end of the output, cut at a whole character", async () => {
    await using h = harness(allowed());
    const result = await run(h, "for i in 1 2 3 4 5; do printf 'é日🦊'; done", {
      outputByteLimit: 8,
    });
    expect(result.truncated).toBe(true);
    expect(result.output).toBe("日🦊");
    const none = await run(h, "echo x", { outputByteLimit: 0 });
    expect(none).toMatchObject({ output: "", truncated: true });
  });

  it("limits the output if the agent gives no limit or asks for too much", async () => {
    const terminal = localTerminals({ ...SHELL, outputBytes: 1000, maxOutputBytes: 2000 });
    await using h = harness(allowed({ terminal }));
    const flood = "yes | head -c 300000";
    expect((await run(h, flood)).output).toHaveLength(1000);
    expect((await run(h, flood, { outputByteLimit: 2 ** 40 })).output).toHaveLength(2000);
  });

  it("is killed with everything it started, and keeps its id until it is released", async () => {
    await using h = harness(allowed({ terminal: localTerminals({ ...SHELL, termMs: 100 }) }));
    const terminalId = await create(h, `echo started; ${TREE}`);
    const pids = await pidsFrom(join(h.tree.ws, "pids"), TREE_SIZE);
    const waiting = h.ask("terminal/wait_for_exit", { terminalId });
    expect(await h.ask("terminal/kill", { terminalId })).toEqual({});
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await waiting).toMatchObject({ signal: expect.stringMatching(/^SIG/) });
    const after = await output(h, terminalId);
    expect(after.output).toContain("started");
    expect(after.exitStatus).toBeDefined();
    expect(await h.ask("terminal/kill", { terminalId })).toEqual({});
    expect(await h.ask("terminal/release", { terminalId })).toEqual({});
    for (const method of ["output", "wait_for_exit", "kill", "release"]) {
      const error = await h.failure(`terminal/${method}`, { terminalId });
      expect(error).toMatchObject({ rpcCode: -32002, data: { terminalId } });
    }
  });

  it.each([
    [
      "it is released",
      (h: Harness, terminalId: string) => h.ask("terminal/release", { terminalId }),
    ],
    ["its session closes", (h: Harness) => h.gate.closeSession("s1")],
    ["the client closes", (h: Harness) => h.gate.close()],
  ])("leaves no process running when %s", async (_case, end) => {
    await using h = harness(allowed({ terminal: localTerminals({ ...SHELL, termMs: 100 }) }));
    const terminalId = await create(h, TREE);
    const pids = await pidsFrom(join(h.tree.ws, "pids"), TREE_SIZE);
    expect(pids.filter(isAlive)).toEqual(pids);
    const waiting = h.ask("terminal/wait_for_exit", { terminalId });
    await end(h, terminalId);
    expect(pids.filter(isAlive)).toEqual([]);
    await waiting;
  });

  it("ends background processes that a finished command left behind", async () => {
    await using h = harness(allowed());
    const terminalId = await create(h, "sleep 300 & echo $! > pids; echo done");
    expect(await h.ask("terminal/wait_for_exit", { terminalId })).toMatchObject({ exitCode: 0 });
    const pids = await pidsFrom(join(h.tree.ws, "pids"), 1);
    expect(pids.filter(isAlive)).toEqual(pids);
    await h.gate.closeSession("s1");
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("leaves no process running when the host is killed with SIGKILL", async () => {
    using tree = scratch();
    mkdirSync(tree.ws);
    const library = await bundleOf("src/client/gate/providers/local-terminals.ts");
    const request = { command: TREE, args: [], cwd: tree.ws, entry: tree.ws, env: {} };
    const code = `
      const { localTerminals } = await import(${JSON.stringify(library.url)});
      const request = { ...${JSON.stringify(request)}, onOutput: () => {} };
      await localTerminals({ shell: ["sh", "-c"] }).create(request);
      setInterval(() => {}, 60_000);`;
    const host = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "inherit" });
    const pids = await pidsFrom(join(tree.ws, "pids"), TREE_SIZE);
    onTestFinished(() => kill(pids));
    expect(pids.filter(isAlive)).toEqual(pids);
    host.kill("SIGKILL");
    await untilNone(() => pids.filter(isAlive));
    await library.remove();
  });

  it("stops waiting when the agent cancels its request, while the command continues", async () => {
    await using h = harness(allowed());
    const terminalId = await create(h, "sleep 300");
    const request = new AbortController();
    const waiting = h.ask("terminal/wait_for_exit", { terminalId }, request.signal);
    request.abort();
    await expect(waiting).rejects.toMatchObject({ rpcCode: -32800 });
    expect(await output(h, terminalId)).not.toHaveProperty("exitStatus");
  });

  it("reports its events to the host in order", async () => {
    const events: TerminalEvent[] = [];
    await using h = harness(allowed({ onTerminal: (event: TerminalEvent) => events.push(event) }));
    await run(h, "printf 'é'; exit 2");
    expect(events.map(({ type }) => type)).toEqual(["created", "output", "exited", "released"]);
    expect(events[0]).toMatchObject({
      sessionId: "s1",
      command: "printf 'é'; exit 2",
      cwd: h.tree.ws,
    });
    expect(events[1]).toMatchObject({ text: "é" });
    expect(events[2]).toMatchObject({ exitCode: 2, signal: null });
  });

  it("keeps working if the host's listener throws", async () => {
    const onTerminal = (): never => {
      throw new Error("no");
    };
    await using h = harness(allowed({ onTerminal }));
    expect(await run(h, "echo x")).toMatchObject({ output: "x\n" });
  });

  it("runs in the requested folder, inside the workspace unless reading outside is allowed", async () => {
    await using h = harness(allowed());
    symlinkSync(h.tree.outside, join(h.tree.ws, "link"));
    for (const cwd of [h.tree.outside, join(h.tree.ws, "link"), "/"]) {
      const error = await h.failure(CREATE, { command: "pwd", cwd });
      expect(error).toMatchObject({ rpcCode: -32602, data: { reason: "outside" } });
    }
    writeFileSync(join(h.tree.ws, "file"), "");
    const file = await h.failure(CREATE, { command: "pwd", cwd: join(h.tree.ws, "file") });
    expect(file.data).toMatchObject({ reason: "not-a-folder" });
    await using open = harness(allowed({ allowReadOutsideWorkspace: true }));
    const result = await run(open, "pwd", { cwd: open.tree.outside });
    expect(result.output).toBe(`${open.tree.outside}\n`);
  });

  it("uses the shell and the environment that the host chooses", async () => {
    const terminal = localTerminals({
      shell: ["sh", "-c"],
      env: { HOST: "set", HOME: undefined },
    });
    await using h = harness(allowed({ terminal }));
    const result = await run(h, 'echo "$0 $HOST ${HOME-none}"');
    expect(result.output).toBe("sh set none\n");
  });

  it.each([
    [{ env: [{ name: "A=B", value: "" }] }],
    [{ env: [{ name: "", value: "" }] }],
    [{ env: [{ name: "A", value: "\0" }] }],
  ])("fails for invalid environment variables: %j", async (more) => {
    await using h = harness(allowed());
    expect((await h.failure(CREATE, { command: "true", ...more })).rpcCode).toBe(-32602);
  });

  it("belongs to its session only", async () => {
    await using h = harness(allowed());
    const terminalId = await create(h, "sleep 300");
    await using other = harness(allowed());
    expect((await other.failure("terminal/kill", { terminalId })).rpcCode).toBe(-32002);
  });
});

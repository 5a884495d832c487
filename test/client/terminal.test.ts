import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GateOptions } from "../../src/client/gate/options.ts";
import { localTerminals } from "../../src/client/gate/providers/local-terminals.ts";
import { OutputBuffer } from "../../src/client/gate/providers/output-buffer.ts";
import {
  inOrder,
  posixShell,
  throughCmd,
  throughShell,
} from "../../src/client/gate/providers/shell.ts";
import type {
  ProvidedTerminal,
  TerminalEvent,
  TerminalProvider,
  TerminalRequest,
} from "../../src/client/gate/providers/terminal.ts";
import type { PermissionRequest } from "../../src/client/gate/permissions/policy.ts";
import { bundleOf } from "../support/agents/bundle.ts";
import { seed, times } from "../support/soak.ts";
import { isAlive, kill, untilNone } from "../wire/process/alive.ts";
import { harness, OPTIONS, type Harness } from "./gate-harness.ts";
import { makeFifo, scratch } from "./jail-tree.ts";

const CREATE = "terminal/create";
/** Not a login shell: it reads what the machine's owner has set up, which takes its time. */
const SHELL = { shell: ["sh", "-c"] } as const;
const allowed = (options: GateOptions = {}): GateOptions => ({
  permissions: "all",
  terminal: localTerminals(SHELL),
  ...options,
});

interface Output {
  output: string;
  truncated: boolean;
  exitStatus?: { exitCode: number | null; signal: string | null };
}

async function create(h: Harness, command: string, more: object = {}): Promise<string> {
  const { terminalId } = (await h.ask(CREATE, { command, ...more })) as { terminalId: string };
  return terminalId;
}

const output = async (h: Harness, terminalId: string): Promise<Output> =>
  (await h.ask("terminal/output", { terminalId })) as Output;

/** Runs a command to its end. */
async function run(h: Harness, command: string, more: object = {}): Promise<Output> {
  const terminalId = await create(h, command, more);
  await h.ask("terminal/wait_for_exit", { terminalId });
  const result = await output(h, terminalId);
  await h.ask("terminal/release", { terminalId });
  return result;
}

/** Reads numbers of processes that a command wrote, once they are there. */
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

/** A tree that does not end by itself: a child, one that left the group, one that ignores SIGTERM. */
const TREE = `
echo $$ >> pids
sleep 300 & echo $! >> pids
setsid sh -c 'echo $$ >> pids; sleep 300' &
sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done' &
wait
`;
const TREE_SIZE = 4;

describe.runIf(process.platform === "linux")("a terminal", () => {
  it("runs a command line through a shell, in the session's folder, with the errors in order", async () => {
    await using h = harness(allowed({ terminal: localTerminals() }));
    const result = await run(h, "pwd; echo one; echo two >&2; echo three; exit 3");
    expect(result).toEqual({
      output: `${h.tree.ws}\none\ntwo\nthree\n`,
      truncated: false,
      exitStatus: { exitCode: 3, signal: null },
    });
  });

  it("runs a program with its arguments as they are, and its variables", async () => {
    await using h = harness(allowed());
    mkdirSync(join(h.tree.ws, "sub"));
    const result = await run(h, "sh", {
      args: ["-c", 'echo "$1|$FOO|$PWD"', "sh", "$(echo no); 'x'"],
      env: [{ name: "FOO", value: "b a r" }],
      cwd: join(h.tree.ws, "sub"),
    });
    expect(result.output).toBe(`$(echo no); 'x'|b a r|${join(h.tree.ws, "sub")}\n`);
  });

  it("says so when there is no such command", async () => {
    await using h = harness(allowed());
    const result = await run(h, "surely-not-there", { args: ["x"] });
    expect(result.exitStatus).toEqual({ exitCode: 127, signal: null });
    expect(result.output).toContain("not found");
  });

  it("has nothing to read from, and does not wait for it", async () => {
    await using h = harness(allowed());
    expect(await run(h, "cat; echo end")).toMatchObject({ output: "end\n" });
  });

  it("answers output while the command runs, and waiting when it ends", async () => {
    await using h = harness(allowed());
    makeFifo(join(h.tree.ws, "gate"));
    const terminalId = await create(h, "echo ready; read -r line < gate; echo $line");
    const waiting = h.ask("terminal/wait_for_exit", { terminalId });
    while (!(await output(h, terminalId)).output.includes("ready")) await new Promise(setImmediate);
    expect(await output(h, terminalId)).toEqual({ output: "ready\n", truncated: false });
    await writeFile(join(h.tree.ws, "gate"), "go\n");
    expect(await waiting).toEqual({ exitCode: 0, signal: null });
    expect((await output(h, terminalId)).output).toBe("ready\ngo\n");
  });

  it("keeps the end of the output, cut at a character", async () => {
    await using h = harness(allowed());
    const result = await run(h, "for i in 1 2 3 4 5; do printf 'é日🦊'; done", {
      outputByteLimit: 8,
    });
    expect(result.truncated).toBe(true);
    expect(result.output).toBe("日🦊");
    const none = await run(h, "echo x", { outputByteLimit: 0 });
    expect(none).toMatchObject({ output: "", truncated: true });
  });

  it("bounds the output when the agent gives no limit, and when it asks for too much", async () => {
    const terminal = localTerminals({ ...SHELL, outputBytes: 1000, maxOutputBytes: 2000 });
    await using h = harness(allowed({ terminal }));
    const flood = "yes | head -c 300000";
    expect((await run(h, flood)).output).toHaveLength(1000);
    expect((await run(h, flood, { outputByteLimit: 2 ** 40 })).output).toHaveLength(2000);
  });

  it("is killed with everything it started; its id stays good until it is released", async () => {
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
      const error = await h.refused(`terminal/${method}`, { terminalId });
      expect(error).toMatchObject({ code: -32002, data: { terminalId } });
    }
  });

  it.each([
    [
      "it is released",
      (h: Harness, terminalId: string) => h.ask("terminal/release", { terminalId }),
    ],
    ["its session closes", (h: Harness) => h.gate.closeSession("s1")],
    ["the client closes", (h: Harness) => h.gate.close()],
  ])("leaves nothing running when %s", async (_what, end) => {
    await using h = harness(allowed({ terminal: localTerminals({ ...SHELL, termMs: 100 }) }));
    const terminalId = await create(h, TREE);
    const pids = await pidsFrom(join(h.tree.ws, "pids"), TREE_SIZE);
    expect(pids.filter(isAlive)).toEqual(pids);
    const waiting = h.ask("terminal/wait_for_exit", { terminalId });
    await end(h, terminalId);
    expect(pids.filter(isAlive)).toEqual([]);
    await waiting;
  });

  it("leaves nothing running that a command left behind when it ended", async () => {
    await using h = harness(allowed());
    const terminalId = await create(h, "sleep 300 & echo $! > pids; echo done");
    expect(await h.ask("terminal/wait_for_exit", { terminalId })).toMatchObject({ exitCode: 0 });
    const pids = await pidsFrom(join(h.tree.ws, "pids"), 1);
    expect(pids.filter(isAlive)).toEqual(pids);
    await h.gate.closeSession("s1");
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("leaves nothing running when the host is killed with -9", async () => {
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

  it("stops waiting when the agent withdraws its request; the command goes on", async () => {
    await using h = harness(allowed());
    const terminalId = await create(h, "sleep 300");
    const withdrawn = new AbortController();
    const waiting = h.ask("terminal/wait_for_exit", { terminalId }, withdrawn.signal);
    withdrawn.abort();
    await expect(waiting).rejects.toMatchObject({ code: -32800 });
    expect(await output(h, terminalId)).not.toHaveProperty("exitStatus");
  });

  it("tells a host what happens, in order", async () => {
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

  it("is not disturbed by a host that throws", async () => {
    const onTerminal = (): never => {
      throw new Error("no");
    };
    await using h = harness(allowed({ onTerminal }));
    expect(await run(h, "echo x")).toMatchObject({ output: "x\n" });
  });

  it("runs where told, inside the workspace unless reading outside is allowed", async () => {
    await using h = harness(allowed());
    symlinkSync(h.tree.outside, join(h.tree.ws, "link"));
    for (const cwd of [h.tree.outside, join(h.tree.ws, "link"), "/"]) {
      const error = await h.refused(CREATE, { command: "pwd", cwd });
      expect(error).toMatchObject({ code: -32602, data: { reason: "outside" } });
    }
    writeFileSync(join(h.tree.ws, "file"), "");
    const file = await h.refused(CREATE, { command: "pwd", cwd: join(h.tree.ws, "file") });
    expect(file.data).toMatchObject({ reason: "not-a-folder" });
    await using free = harness(allowed({ allowReadOutsideWorkspace: true }));
    const result = await run(free, "pwd", { cwd: free.tree.outside });
    expect(result.output).toBe(`${free.tree.outside}\n`);
  });

  it("can be given another shell, and an environment of the host's making", async () => {
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
  ])("refuses variables that cannot be: %j", async (more) => {
    await using h = harness(allowed());
    expect((await h.refused(CREATE, { command: "true", ...more })).code).toBe(-32602);
  });

  it("belongs to its session", async () => {
    await using h = harness(allowed());
    const terminalId = await create(h, "sleep 300");
    await using other = harness(allowed());
    expect((await other.refused("terminal/kill", { terminalId })).code).toBe(-32002);
  });
});

/** A provider whose terminals are objects only. */
function fakeTerminals() {
  const requests: TerminalRequest[] = [];
  const released: string[] = [];
  const provider: TerminalProvider = {
    create(request) {
      requests.push(request);
      const made: ProvidedTerminal = {
        output: () => ({ output: "out", truncated: false, exitStatus: undefined }),
        exited: new Promise(() => {}),
        kill: () => Promise.resolve(),
        release: async () => void released.push(request.terminalId),
      };
      return Promise.resolve(made);
    },
  };
  return { provider, requests, released };
}

describe("the terminal service", () => {
  it("is neither advertised nor there without a provider", async () => {
    await using h = harness({ permissions: "all" });
    expect(h.gate.capabilities.terminal).toBe(false);
    for (const method of ["create", "output", "wait_for_exit", "kill", "release"]) {
      const error = await h.refused(`terminal/${method}`, { command: "x", terminalId: "x" });
      expect(error.code).toBe(-32601);
    }
    await using off = harness({
      terminal: fakeTerminals().provider,
      capabilities: { terminal: false },
    });
    expect(off.gate.capabilities.terminal).toBe(false);
    expect((await off.refused(CREATE, { command: "x" })).code).toBe(-32601);
  });

  it("calls the provider it was given", async () => {
    const { provider, requests } = fakeTerminals();
    await using h = harness({ permissions: "all", terminal: provider });
    const terminalId = await create(h, "ls -l", { outputByteLimit: 5 });
    expect(requests[0]).toMatchObject({
      command: "ls -l",
      args: [],
      cwd: h.tree.ws,
      env: {},
      outputByteLimit: 5,
      terminalId,
    });
    expect(await output(h, terminalId)).toEqual({ output: "out", truncated: false });
  });

  it.each(["deny", "read", "write"] as const)(
    "is refused by the policy %s",
    async (permissions) => {
      const { provider, requests } = fakeTerminals();
      await using h = harness({ permissions, terminal: provider });
      expect((await h.refused(CREATE, { command: "ls" })).code).toBe(-32003);
      expect(requests).toEqual([]);
    },
  );

  it("bounds how many terminals a forgetful agent may hold", async () => {
    const { provider } = fakeTerminals();
    await using h = harness({ permissions: "all", terminal: provider });
    const ids: string[] = [];
    for (let i = 0; i < 64; i++) ids.push(await create(h, "x"));
    expect((await h.refused(CREATE, { command: "x" })).message).toContain("release");
    await h.ask("terminal/release", { terminalId: ids[0] });
    await create(h, "x");
  });

  it("releases a terminal whose session closed while it was being started", async () => {
    const { provider, released } = fakeTerminals();
    let go: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      go = resolve;
    });
    let began: () => void = () => {};
    const beginning = new Promise<void>((resolve) => {
      began = resolve;
    });
    const slow: TerminalProvider = {
      async create(request) {
        began();
        await started;
        return provider.create(request);
      },
    };
    await using h = harness({ permissions: "all", terminal: slow });
    const creating = h.refused(CREATE, { command: "x" });
    await beginning;
    const closing = h.gate.closeSession("s1");
    go();
    await closing;
    expect(released).toHaveLength(1);
    expect((await creating).code).toBe(-32800);
  });

  it("closes only when a release that is under way is done", async () => {
    const { provider } = fakeTerminals();
    let done = false;
    let finish: () => void = () => {};
    const slow: TerminalProvider = {
      create: async (request) => ({
        ...(await provider.create(request)),
        release: () =>
          new Promise<void>((resolve) => {
            finish = resolve;
          }).then(() => {
            done = true;
          }),
      }),
    };
    await using h = harness({ permissions: "all", terminal: slow });
    const terminalId = await create(h, "x");
    const releasing = h.ask("terminal/release", { terminalId });
    const closing = h.gate.close().then(() => expect(done).toBe(true));
    await new Promise(setImmediate);
    finish();
    await Promise.all([releasing, closing]);
  });

  it("survives a provider that loses a terminal", async () => {
    const { provider } = fakeTerminals();
    const losing: TerminalProvider = {
      create: async (request) => ({
        ...(await provider.create(request)),
        exited: Promise.reject(new Error("lost")),
      }),
    };
    await using h = harness({ permissions: "all", terminal: losing });
    const terminalId = await create(h, "x");
    await expect(h.ask("terminal/wait_for_exit", { terminalId })).rejects.toThrow("lost");
    expect(h.logs.some(({ message }) => message === "a terminal was lost")).toBe(true);
  });

  it("fails the request when the provider cannot start the command", async () => {
    const provider: TerminalProvider = { create: () => Promise.reject(new Error("full")) };
    await using h = harness({ permissions: "all", terminal: provider });
    await expect(h.ask(CREATE, { command: "x" })).rejects.toThrow("full");
  });
});

describe("leave to run a command", () => {
  const ask = (h: Harness, rawInput: object, kind = "execute") =>
    h.ask("session/request_permission", {
      toolCall: { toolCallId: "t1", kind, rawInput, title: "run anything: rm -rf x" },
      options: OPTIONS,
    });

  async function questions(
    rawInput: object,
    params: object,
    kind?: string,
  ): Promise<readonly PermissionRequest[]> {
    const asked: PermissionRequest[] = [];
    const { provider } = fakeTerminals();
    await using h = harness({
      terminal: provider,
      permissions: (request) => {
        asked.push(request);
        return "allow";
      },
    });
    mkdirSync(join(h.tree.ws, "sub"));
    const placed = (value: object): object =>
      JSON.parse(JSON.stringify(value).replaceAll("WS", h.tree.ws)) as object;
    await ask(h, placed(rawInput), kind);
    await h.ask(CREATE, placed(params));
    return asked;
  }

  it.each<[string, object, object, boolean]>([
    ["the same line", { command: "ls -l" }, { command: "ls -l" }, true],
    ["another line", { command: "ls -l" }, { command: "ls -la" }, false],
    ["the same words", { command: ["ls", "-l"] }, { command: "ls", args: ["-l"] }, true],
    [
      "the same program and arguments",
      { command: "ls", args: ["-l"] },
      { command: "ls", args: ["-l"] },
      true,
    ],
    ["one word more", { command: ["ls"] }, { command: "ls", args: ["-l"] }, false],
    [
      "a shell with the same line",
      { command: "ls -l" },
      { command: "/bin/bash", args: ["-c", "ls -l"] },
      true,
    ],
    [
      "a shell with more",
      { command: "ls -l" },
      { command: "bash", args: ["-c", "ls -l", "x"] },
      false,
    ],
    ["what is no shell", { command: "ls -l" }, { command: "./evil", args: ["-c", "ls -l"] }, false],
    ["another folder", { command: "ls" }, { command: "ls", cwd: "WS/sub" }, false],
    [
      "the folder it named",
      { command: "ls", cwd: "WS/sub" },
      { command: "ls", cwd: "WS/sub" },
      true,
    ],
    [
      "harmless variables",
      { command: "ls" },
      { command: "ls", env: [{ name: "NO_COLOR", value: "1" }] },
      true,
    ],
    [
      "variables that change it",
      { command: "ls" },
      { command: "ls", env: [{ name: "PATH", value: "." }] },
      false,
    ],
    ["no command in the call", { description: "ls" }, { command: "ls" }, false],
  ])("covers %s: %j then %j: %s", async (_what, rawInput, params, covered) => {
    expect(await questions(rawInput, params)).toHaveLength(covered ? 1 : 2);
  });

  it("comes from no other kind of call", async () => {
    expect(await questions({ command: "ls" }, { command: "ls" }, "read")).toHaveLength(2);
  });

  it("shows a function the command, its folder and its variables", async () => {
    const asked = await questions(
      {},
      { command: "ls", args: ["-l"], env: [{ name: "A", value: "b" }] },
    );
    expect(asked[1]).toMatchObject({
      kind: "execute",
      subject: { type: "terminal", command: "ls", args: ["-l"], env: { A: "b" } },
    });
  });
});

describe("kept output", () => {
  it("is the longest end of whole characters within the limit, however it came", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(
        text,
        fc.nat(80),
        fc.array(fc.integer({ min: 1, max: 9 })),
        (all, limit, sizes) => {
          const bytes = Buffer.from(all, "utf8");
          const buffer = new OutputBuffer(limit);
          let at = 0;
          for (let i = 0; at < bytes.length; i++) {
            const size = sizes[i % Math.max(1, sizes.length)] ?? 3;
            buffer.push(Buffer.from(bytes.subarray(at, at + size)));
            at += size;
            expect(buffer.text()).not.toContain("\ufffd");
          }
          buffer.complete();
          const kept = buffer.text();
          expect(all.endsWith(kept)).toBe(true);
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(limit);
          expect(buffer.truncated).toBe(bytes.length > limit);
          const missing = bytes.length - Buffer.byteLength(kept);
          if (missing > 0) expect(Buffer.byteLength(kept)).toBeGreaterThan(limit - 4);
        },
      ),
      { seed, numRuns: times(300, 10_000) },
    );
  });

  it("stays within the limit for bytes that are no characters", () => {
    const buffer = new OutputBuffer(10);
    buffer.push(Buffer.alloc(100, 0xff));
    expect(Buffer.byteLength(buffer.text())).toBeLessThanOrEqual(10);
    expect(buffer.truncated).toBe(true);
  });

  it("does not grow with small pieces", () => {
    const buffer = new OutputBuffer(1000);
    for (let i = 0; i < 100_000; i++) buffer.push(Buffer.from("x"));
    expect(buffer.text()).toBe("x".repeat(1000));
  });
});

describe("shells", () => {
  it("is a login bash where there is one, else sh", async () => {
    expect(await posixShell("/nowhere")).toEqual(["sh", "-c"]);
    expect(await posixShell("/nowhere:/usr/bin:/bin")).toEqual(["bash", "-lc"]);
  });

  it("gets the line as its last word; on Windows between quotes", () => {
    expect(throughShell(["zsh", "-f", "-c"], "a b")).toEqual({
      command: "zsh",
      args: ["-f", "-c", "a b"],
    });
    expect(throughCmd('echo "x"')).toEqual({
      command: "cmd.exe",
      args: ["/d", "/s", "/C", '"echo "x""'],
      verbatim: true,
    });
    expect(inOrder({ command: "a", args: ["b c"] }).args.slice(-2)).toEqual(["a", "b c"]);
  });
});

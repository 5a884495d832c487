/** An agent on its own stdin and stdout: other output, and clients that read slowly or not at all. */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { openSync, closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openProcess } from "../../src/entries/wire.ts";
import { TestClient } from "./harness.ts";
import { programOf, withBundle } from "./pipe.ts";

withBundle("src/entries/agent.ts");

const agent = (prompt: string, after = "") => `
const before = process.stdout.write;
const reason = await lib.serveAgent(lib.stdioChannel(), {
  info: { name: "a", version: "1" },
  newSession: () => ({}),
  async prompt(turn) { ${prompt} },
});
${after}`;

async function start(code: string) {
  let stderr = "";
  const waiters: { readonly word: string; readonly done: () => void }[] = [];
  const channel = await openProcess({
    command: process.execPath,
    args: programOf(code),
    onStderr: (text) => {
      stderr += text;
      for (const { word, done } of waiters) if (stderr.includes(word)) done();
    },
  });
  const client = new TestClient(channel);
  await client.initialize();
  /** Resolves once the agent has printed a word to stderr. */
  const waitForStderr = (word: string): Promise<void> =>
    stderr.includes(word) ? Promise.resolve() : new Promise((done) => waiters.push({ word, done }));
  return { client, channel, stderr: () => stderr, waitForStderr };
}

describe("stdout", () => {
  it("carries only the protocol, and other output goes to stderr", async () => {
    const { client, stderr } = await start(
      agent(`
        console.log("logged");
        console.info("informed");
        process.stdout.write("written\\n");
        process.stdout.write(Buffer.from("bytes\\n"), () => {});
        await turn.say("said");`),
    );
    expect(await client.prompt(await client.newSession(), "x")).toBe("end_turn");
    expect(client.text()).toBe("said");
    expect(client.peer.stats.noise).toBe(0);
    await client.peer.close();
    expect(stderr()).toBe("logged\ninformed\nwritten\nbytes\n");
  });

  it("is restored once the client disconnects, and the process ends by itself", async () => {
    const { client, channel, stderr } = await start(
      agent(
        "",
        "process.stderr.write(JSON.stringify({ reason, restored: process.stdout.write === before }));",
      ),
    );
    await client.newSession();
    const reason = await channel.close();
    expect(reason).toMatchObject({ kind: "closed", exit: { code: 0 } });
    expect(JSON.parse(stderr())).toEqual({ reason: { kind: "ended" }, restored: true });
  });

  it("can be a file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "dragoman-stdout-"));
    const file = join(folder, "out");
    const out = openSync(file, "w");
    try {
      const child = spawn(process.execPath, programOf(agent("")), { stdio: ["pipe", out, "pipe"] });
      child.stdin?.end(
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n',
      );
      await new Promise((resolve) => child.once("exit", resolve));
      expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ id: 1, result: {} });
    } finally {
      closeSync(out);
      await rm(folder, { recursive: true });
    }
  });
});

describe("a client that reads slowly", () => {
  const MEGABYTES = 64;
  /**
   * Sends far more than the limits allow. It prints to stderr when sending stalls, when it is
   * cancelled, and how much memory it used.
   */
  const flood = (send: string) =>
    agent(`
      const text = "x".repeat(1000);
      const print = (word) => process.stderr.write(word + "\\n");
      const rss = () => Math.round(process.memoryUsage.rss() / 2 ** 20);
      const start = rss();
      let [i, last, peak] = [0, -1, start];
      const timer = setInterval(() => {
        peak = Math.max(peak, rss());
        if (i === last) print("stalled");
        last = i;
      }, 50);
      turn.signal.addEventListener("abort", () => print("cancelled"));
      try {
        for (; i < ${MEGABYTES * 1000}; i++) { ${send} }
      } finally {
        clearInterval(timer);
        print("grew " + (Math.max(peak, rss()) - start));
      }`);

  const growth = (stderr: string): number => Number(/^grew (\d+)$/m.exec(stderr)?.[1]);

  it("slows down an author who awaits, in bounded memory, and can still cancel", async () => {
    const { client, channel, stderr, waitForStderr } = await start(flood("await turn.say(text);"));
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.waitFor("update agent_message_chunk");
    channel.pause();
    await waitForStderr("stalled");
    await client.cancel(sessionId);
    await waitForStderr("cancelled");
    channel.resume();
    expect(await prompt).toBe("cancelled");
    await client.peer.close();
    expect(growth(stderr())).toBeLessThan(60);
  });

  it("fails the turn of an author who does not await, with an error that explains why", async () => {
    const { client, stderr } = await start(flood("void turn.say(text);"));
    const sessionId = await client.newSession();
    const failed = await client.prompt(sessionId, "x").catch((error: unknown) => error);
    expect(failed).toMatchObject({
      rpcCode: -32603,
      data: { details: expect.stringContaining("await each update") as string },
    });
    // The connection still works.
    expect(await client.newSession()).not.toBe("");
    await client.peer.close();
    expect(growth(stderr())).toBeLessThan(150);
  });
});

describe("a client that closes its reading end", () => {
  it("ends the agent, although the client could still write", async () => {
    const code = agent(
      'for (;;) await turn.say("x".repeat(1000));',
      "process.stderr.write(reason.kind); process.exit(0);",
    );
    const child = spawn(process.execPath, programOf(code), { stdio: ["pipe", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const exited = new Promise((resolve) => child.once("close", resolve));
    const request = (id: number, method: string, params: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    request(1, "initialize", { protocolVersion: 1 });
    request(2, "session/new", { cwd: tmpdir(), mcpServers: [] });
    let received = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      received += text;
      const sessionId = /"sessionId":"([^"]+)"/.exec(received)?.[1];
      if (sessionId === undefined || child.stdout.destroyed) return;
      if (received.includes("session/update")) child.stdout.destroy();
      else request(3, "session/prompt", { sessionId, prompt: [] });
    });
    child.stdin.on("error", () => {});
    expect(await exited).toBe(0);
    expect(stderr).toBe("failed");
  });
});

describe("a client that sends requests and does not read", () => {
  it("is read only up to a limit, and gets every answer once it reads again", async () => {
    const { client, channel, stderr } = await start(
      agent("", "process.stderr.write(String(Math.round(process.resourceUsage().maxRSS / 1024)));"),
    );
    channel.pause();
    const bad = { cwd: "x".repeat(2000), mcpServers: [] };
    const calls = Array.from({ length: 10_000 }, () =>
      client.peer.call("session/new", bad).catch((error: unknown) => error),
    );
    await new Promise((resolve) => setImmediate(resolve));
    channel.resume();
    const errors = await Promise.all(calls);
    expect(errors).toHaveLength(10_000);
    expect(
      errors.every(
        (error) => error instanceof Error && "rpcCode" in error && error.rpcCode === -32602,
      ),
    ).toBe(true);
    await client.peer.close();
    expect(Number(stderr())).toBeLessThan(250);
  });
});

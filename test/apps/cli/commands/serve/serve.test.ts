// `dragoman serve` as people run it: real processes on both sides.
import { once } from "node:events";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { ADA, BOB } from "../../../../host/hub/serve/rig.ts";
import { cleanUp, INITIALIZE, send } from "../../../../transport/remote/rig.ts";
import { isAlive, run } from "../../support/run.ts";
import {
  connectTo,
  rawClient,
  type ServeProcess,
  type ServeProcessOptions,
  startServe,
  stopServe,
  writeTokens,
} from "../../serve/process.ts";
import { expectRefused, builtBin, foldersForEach } from "../setup.ts";

const bin = builtBin();
const folders = foldersForEach();

afterEach(async () => {
  await cleanUp();
});

function serve(options: Partial<ServeProcessOptions> = {}): Promise<ServeProcess> {
  return startServe({ bin: bin.file, folders, ...options });
}

/** How a server ended. */
async function exitOf({ process: running }: ServeProcess): Promise<unknown> {
  const reason = await running.closed;
  return reason.kind === "exited" ? reason.exit : reason;
}

async function gone(pid: number): Promise<void> {
  await vi.waitUntil(() => !isAlive(pid), { timeout: 10_000, interval: 20 });
}

describe("a client", () => {
  it.each(["webSocketUrl", "url"] as const)("prompts an agent, by its %s", async (scheme) => {
    const server = await serve();
    const ended = await run(
      ["--agent-url", server[scheme], "--token-file", join(folders.home, "token")].concat([
        "-C",
        folders.cwd,
        "say hello there",
      ]),
      folders,
    );
    expect(ended).toMatchObject({ code: 0, out: "hello there" });
  });

  it("works in the first root of its token without -C", async () => {
    const tokens = join(folders.home, "tokens.json");
    await writeTokens(tokens, { ...ADA, grant: { ...ADA.grant, roots: ["two"] } });
    const [one, two] = [join(folders.home, "one"), join(folders.home, "two")];
    await Promise.all([mkdir(one), mkdir(two)]);
    const roots = ["--root", `one=${one}`, "--root", `two=${two}`];
    const server = await serve({ args: ["--tokens", tokens, ...roots] });
    const file = join(folders.home, "ada");
    await writeFile(file, ADA.token, { mode: 0o600 });
    const flags = ["--agent-url", server.webSocketUrl, "--token-file", file];
    expect(await run([...flags, "say hello"], folders)).toMatchObject({ code: 0, out: "hello" });
    const sessions = await readFile(join(folders.home, "sessions.jsonl"), "utf8");
    expect(JSON.parse(sessions)).toMatchObject({ cwd: two });
    expect((await run([...flags, "-C", "one", "say hello"], folders)).code).toBe(1);
  });

  it("finds out where to connect and which token to use", async () => {
    const server = await serve();
    expect(server.err()).toContain(`serving node at ${server.webSocketUrl}\n`);
    expect(server.err()).toContain(`clients need the token in ${join(folders.home, "token")}\n`);
    expect((await stat(join(folders.home, "token"))).mode & 0o777).toBe(0o600);
  });

  it("gets an agent whose environment has no token of the server", async () => {
    const tokens = join(folders.home, "tokens.json");
    await writeTokens(tokens, ADA);
    const env = { LEAKED: ADA.token, KEPT: "kept" };
    const server = await serve({ args: ["--tokens", tokens], env });
    const session = await (await connectTo(server)).newSession({ cwd: folders.cwd });
    const seen = await session.prompt("env").text();
    expect(seen).toContain('"KEPT":"kept"');
    expect(seen).not.toContain(ADA.token);
    expect(seen).not.toContain(server.token);
  });

  it("is cut off when its token is removed from the file", async () => {
    const tokens = join(folders.home, "tokens.json");
    await writeTokens(tokens, ADA, BOB);
    const server = await serve({ args: ["--tokens", tokens] });
    const [ada, bob] = [await rawClient(server, ADA), await rawClient(server, BOB)];
    const closed = once(bob.socket, "close");
    await writeTokens(tokens, ADA);
    await closed;
    expect(ada.socket.readyState).toBe(WebSocket.OPEN);
    await vi.waitUntil(() => server.err().includes("read the changed tokens again"));
  });

  it("keeps its sessions when the server is started again", async () => {
    const first = await serve();
    const session = await (await connectTo(first)).newSession({ cwd: folders.cwd });
    await stopServe(first);
    const second = await serve();
    const client = await connectTo(second);
    const again = await client.loadSession({ sessionId: session.id, cwd: folders.cwd });
    expect(await again.prompt("say back").text()).toBe("back");
  });
});

/** A client with a turn that goes on until it is cancelled. */
async function withRunningTurn(server: ServeProcess) {
  const client = await rawClient(server, { headers: { authorization: `Bearer ${server.token}` } });
  const open = async (): Promise<string> => {
    const opened = await client.call("session/new", { cwd: folders.cwd, mcpServers: [] });
    return (opened as { readonly sessionId: string }).sessionId;
  };
  const [sessionId, other] = [await open(), await open()];
  const prompt = (id: string, text: string): Promise<unknown> =>
    client.call("session/prompt", { sessionId: id, prompt: [{ type: "text", text }] });
  await prompt(other, "pid");
  const turn = prompt(sessionId, "wait");
  await client.until("waiting");
  const texts = client.received.map((message) => JSON.stringify(message));
  const agent = Number(texts.map((text) => /"text":"(\d+)"/.exec(text)?.[1]).find(Boolean));
  return { client, sessionId, other, prompt, turn, agent };
}

it("a client that lost its connection during a turn comes back, and gets what it missed", async () => {
  const server = await serve();
  const { client, sessionId } = await withRunningTurn(server);
  client.socket.terminate();
  const again = await rawClient(server, { headers: { authorization: `Bearer ${server.token}` } });
  const joined = await again.call("_dragoman/session/attach", {
    sessionId,
    role: "controller",
    after: 0,
  });
  expect(joined).toMatchObject({ sessionId, isBusy: true });
  await again.until("waiting");
  again.notify("session/cancel", { sessionId });
  await again.until("turn_ended");
});

it("the audit log names tokens, addresses and sessions, and holds nothing that was said", async () => {
  const file = join(folders.home, "audit.jsonl");
  const server = await serve({ args: ["--audit-log", file] });
  await send(server, { headers: { authorization: "Bearer wrong-token" }, body: INITIALIZE });
  const session = await (await connectTo(server)).newSession({ cwd: folders.cwd });
  await session.prompt("say a-private-word").text();
  await stopServe(server);
  const text = await readFile(file, "utf8");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const refused = { type: "request_refused", status: 401, address: "127.0.0.1", path: "/acp" };
  expect(lines[0]).toMatchObject(refused);
  expect(lines[1]).toMatchObject({ type: "connection_opened", owner: "default" });
  expect(lines).toContainEqual(
    expect.objectContaining({ type: "turn_ended", sessionId: session.id, outcome: "end_turn" }),
  );
  for (const secret of ["wrong-token", "a-private-word", server.token]) {
    expect(text).not.toContain(secret);
  }
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("refused requests are explained once on stderr, without tokens", async () => {
  const server = await serve({ agent: ["--", process.execPath, "--version"] });
  const before = server.err();
  const notes = () => server.err().slice(before.length).trimEnd().split("\n");
  const origin = "https://editor.example";
  for (let n = 0; n < 3; n++) {
    await send(server, { headers: { authorization: "Bearer secret-a" }, body: INITIALIZE });
  }
  await fetch(server.url, { method: "POST" });
  await send(server, {
    headers: { origin, authorization: `Bearer ${server.token}` },
    body: INITIALIZE,
  });
  const upgrade = (from: string, token: string) =>
    new Promise<void>((resolve) => {
      const socket = new WebSocket(server.webSocketUrl, {
        origin: from,
        headers: { authorization: `Bearer ${token}` },
      });
      socket.on("error", () => resolve());
    });
  await upgrade("https://other.example", server.token);
  await upgrade("https://x\u009b31m;id", server.token);
  await vi.waitUntil(() => notes().length >= 5);
  expect(notes()).toEqual([
    "dragoman: refused a connection from 127.0.0.1: wrong token",
    "dragoman: refused a connection from 127.0.0.1: no token",
    `dragoman: refused origin ${origin}; allow it with --origin ${origin}`,
    "dragoman: refused origin https://other.example; allow it with --origin https://other.example",
    "dragoman: refused origin https://x<U+009B>31m;id",
  ]);
  expect(server.err()).not.toContain("secret-a");
  expect(server.err()).not.toContain(server.token);
});

describe("a signal", () => {
  it("lets a running turn finish, accepts no other, and ends the server with 0", async () => {
    const server = await serve();
    const { client, sessionId, other, prompt, turn } = await withRunningTurn(server);
    process.kill(server.pid, "SIGTERM");
    await vi.waitUntil(() => server.err().includes("waiting for running turns"));
    expect(await prompt(other, "say no")).toMatchObject({ code: -32004 });
    expect((await send(server, { method: "GET", path: "/healthz" })).status).toBe(503);
    client.notify("session/cancel", { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(await exitOf(server)).toEqual({ code: 0, signal: null });
  });

  it("ends turns that take longer than --drain-timeout", async () => {
    const server = await serve({ args: ["--drain-timeout", "200ms"] });
    const { client, agent } = await withRunningTurn(server);
    process.kill(server.pid, "SIGTERM");
    await once(client.socket, "close");
    expect(await exitOf(server)).toEqual({ code: 0, signal: null });
    await gone(agent);
  });

  it("ends running turns at once if it is the second", async () => {
    const server = await serve();
    const { client, agent } = await withRunningTurn(server);
    process.kill(server.pid, "SIGINT");
    await vi.waitUntil(() => server.err().includes("waiting for running turns"));
    process.kill(server.pid, "SIGINT");
    await once(client.socket, "close");
    expect(await exitOf(server)).toEqual({ code: 130, signal: null });
    await gone(agent);
  });

  it("that kills the server leaves no agent", async () => {
    const server = await serve();
    const { agent } = await withRunningTurn(server);
    expect(isAlive(agent)).toBe(true);
    process.kill(server.pid, "SIGKILL");
    await gone(agent);
  });
});

describe("the command", () => {
  const refused = (...args: readonly string[]) => run(["serve", ...args], folders);
  const demo = ["-a", "demo"];

  it.each([
    [[], "serve needs an agent"],
    [["demo"], 'serve takes no arguments before --, but got "demo"; try: dragoman serve -a demo'],
    [["-a", "demo", "--", "node"], "-a and a command contradict each other"],
    [["-a", "demo", "-a", "demo"], "an agent is named twice"],
    [["-a", "nothing"], 'unknown agent "nothing"'],
    [[...demo, "--listen", "nonsense"], "is not HOST:PORT"],
    [[...demo, "--listen", "0.0.0.0:0"], "can be reached from other machines"],
    [[...demo, "--origin", "https://a.example/path"], "try: --origin https://a.example"],
    [[...demo, "--origin", "*"], "is not an origin"],
    [[...demo, "--tls-cert", "cert.pem"], "--tls-cert and --tls-key need each other"],
    [[...demo, "--tls-cert", "x", "--tls-key", "y"], "x: no such certificate"],
    [[...demo, "--tokens", "missing.json"], "missing.json: no such tokens file"],
    [[...demo, "--max-sessions", "0"], "is not a number from 1 on"],
    [[...demo, "--token-file", "/dev/null"], "is a device, not a file"],
  ] as const)("refuses %j", (args, message) => expectRefused(refused(...args), message));

  it("refuses an agent that is not installed, with the exit code for that", () =>
    expectRefused(
      refused("--", "not-installed-anywhere"),
      "not-installed-anywhere is not installed",
      7,
    ));

  it("refuses a port that is in use", async () => {
    const server = await serve();
    await expectRefused(
      refused("--listen", `127.0.0.1:${server.port}`, ...demo),
      "could not listen",
    );
  });
});

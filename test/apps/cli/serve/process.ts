// `dragoman serve` as a real process, with an agent that keeps its sessions in a file.
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { WebSocket } from "ws";
import type { JsonObject } from "../../../../src/base/index.ts";
import { openProcess, type ProcessChannel } from "../../../../src/transport/wire/index.ts";
import { AcpClient, type ConnectionConfig } from "../../../../src/client/index.ts";
import { afterwards } from "../../../transport/remote/rig.ts";
import type { TestToken } from "../../../host/hub/serve/rig.ts";
import type { Scratch } from "../support/run.ts";
import { processEnv } from "../support/process.ts";

const AGENT = fileURLToPath(new URL("../../../support/agents/serve-agent.mjs", import.meta.url));

/** The words after `--` that start the agent. */
function agentWords({ home }: Scratch): string[] {
  return ["--", process.execPath, AGENT, join(home, "sessions.jsonl")];
}

export interface ServeProcess {
  readonly port: number;
  readonly url: string;
  readonly webSocketUrl: string;
  /** The token in the token file. */
  readonly token: string;
  readonly pid: number;
  readonly process: ProcessChannel;
  /** Everything on stderr. */
  err(): string;
}

export interface ServeProcessOptions {
  readonly bin: string;
  readonly folders: Scratch;
  readonly args?: readonly string[];
  readonly agent?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the command and waits until it listens. */
export async function startServe(options: ServeProcessOptions): Promise<ServeProcess> {
  const { bin, folders, args = [], agent = agentWords(folders), env = {} } = options;
  const portFile = join(folders.home, `port-${Math.random()}`);
  const tokenFile = join(folders.home, "token");
  let err = "";
  const listen = args.includes("--listen") ? [] : ["--listen", "0"];
  const running = await openProcess({
    command: process.execPath,
    args: [
      bin,
      "serve",
      ...listen,
      "--port-file",
      portFile,
      "--token-file",
      tokenFile,
      ...args,
    ].concat(agent),
    cwd: folders.cwd,
    env: { ...processEnv(folders), ...env },
    onStderr: (text) => (err += text),
  });
  running.open(() => {});
  afterwards(() => stopServe({ process: running }));
  let ended = false;
  void running.closed.then(() => (ended = true));
  const text = await vi.waitUntil(
    async () => {
      if (ended) throw new Error(`serve ended: ${err}`);
      return readFile(portFile, "utf8").catch(() => undefined);
    },
    { timeout: 20_000, interval: 20 },
  );
  const port = Number(text);
  return {
    port,
    url: `http://127.0.0.1:${port}/acp`,
    webSocketUrl: `ws://127.0.0.1:${port}/acp`,
    token: (await readFile(tokenFile, "utf8")).trim(),
    pid: running.pid,
    process: running,
    err: () => err,
  };
}

/** Ends a server, unless it has ended. Closing its stdin would not. */
export async function stopServe({
  process: running,
}: Pick<ServeProcess, "process">): Promise<void> {
  try {
    process.kill(running.pid, "SIGTERM");
  } catch {
    // It is gone.
  }
  await running.closed;
}

/** Our client on a server. It is closed at the end of the test. */
export async function connectTo(
  { webSocketUrl, token }: { readonly webSocketUrl: string; readonly token: string },
  options: ConnectionConfig = {},
): Promise<AcpClient> {
  const client = await AcpClient.start({ url: webSocketUrl, token, ...options });
  afterwards(() => client.close());
  return client;
}

/** A client that sends any request. */
export interface RawClient {
  /** Everything that arrived, in order. */
  readonly received: JsonObject[];
  /** Resolves with the result or the error of the answer. */
  readonly call: (method: string, params?: object) => Promise<unknown>;
  readonly notify: (method: string, params: object) => void;
  /** Resolves when a text has arrived in a message. */
  until(text: string): Promise<void>;
  readonly socket: WebSocket;
  /** The answer to `initialize`. */
  readonly initialized: unknown;
}

/** Connects to a server without a library, and initializes. */
export async function rawClient(
  { webSocketUrl }: { readonly webSocketUrl: string },
  { headers }: Pick<TestToken, "headers">,
): Promise<RawClient> {
  const socket = new WebSocket(webSocketUrl, { headers });
  afterwards(() => socket.terminate());
  await once(socket, "open");
  const received: JsonObject[] = [];
  const open = new Map<number, (answer: unknown) => void>();
  let lastId = 0;
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString()) as JsonObject;
    received.push(message);
    if (message["method"] === undefined) {
      open.get(Number(message["id"]))?.(message["result"] ?? message["error"]);
    }
  });
  const call = (method: string, params: object = {}): Promise<unknown> => {
    const id = ++lastId;
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve) => {
      open.set(id, resolve);
    });
  };
  const initialized = await call("initialize", { protocolVersion: 1, clientCapabilities: {} });
  return {
    received,
    call,
    socket,
    initialized,
    notify: (method, params) => socket.send(JSON.stringify({ jsonrpc: "2.0", method, params })),
    async until(text) {
      while (!received.some((message) => JSON.stringify(message).includes(text))) {
        await once(socket, "message");
      }
    },
  };
}

/** Writes a tokens file. */
export async function writeTokens(path: string, ...tokens: readonly TestToken[]): Promise<void> {
  const grants = tokens.map(({ grant }) => ({
    ...grant,
    expires: grant.expires === undefined ? undefined : new Date(grant.expires).toISOString(),
  }));
  await writeFile(path, JSON.stringify({ version: 1, tokens: grants }), { mode: 0o600 });
}

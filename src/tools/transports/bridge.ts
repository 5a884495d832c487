import { mkdtemp, readFile, realpath } from "node:fs/promises";
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Peer, plainEnvelope, RpcCode } from "../../transport/rpc/index.ts";
import { isJsonObject, type JsonObject, randomId, toError } from "../../base/index.ts";
import { type Channel, listenSocket, ServerToken } from "../../transport/wire/index.ts";
import { ToolServerError } from "../tool.ts";
import type { ToolAnswer } from "../mcp.ts";
import { SOCKET_VARIABLE, TOKEN_VARIABLE } from "./bridge-program.ts";

/** A command that an agent starts, which connects it to a server in this process. */
export interface BridgeCommand {
  /** The executable. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
}

/** A running server for the bridge command. */
export interface ServedBridge extends BridgeCommand {
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** An agent needs one connection. A few more allow it to start the server again. */
const MAX_CONNECTIONS = 16;

/**
 * Serves MCP on a socket that only this user can reach, for the command `dragoman tool-bridge`. Rejects
 * with ToolServerError if the command cannot be found or the socket cannot be opened.
 */
export async function serveBridge(
  answer: ToolAnswer,
  bridge: BridgeCommand | undefined,
): Promise<ServedBridge> {
  const { command, args } = bridge ?? (await findBridge());
  const token = new ServerToken();
  const { path, folder } = await socketPath();
  const peers = new Set<Peer>();
  const listener = await listenSocket({ path }, { maxConnections: MAX_CONNECTIONS }).catch(
    (cause: unknown) => {
      remove(folder);
      throw new ToolServerError("unavailable", toError(cause).message, { cause });
    },
  );
  listener.open((channel) => {
    const peer = servePeer(authenticated(channel, token), answer);
    peers.add(peer);
    void peer.closed.then(() => peers.delete(peer));
  });
  return {
    command,
    args,
    env: {
      [SOCKET_VARIABLE]: path,
      [TOKEN_VARIABLE]: token.value,
      ...(process.versions["electron"] === undefined ? {} : { ELECTRON_RUN_AS_NODE: "1" }),
    },
    close: async () => {
      const ends = [...peers].map((peer) => peer.close());
      const closed = listener.close();
      remove(folder);
      await Promise.all([closed, ...ends]);
    },
  };
}

/** Windows has no socket files. Its pipes have names that cannot be guessed. */
async function socketPath(): Promise<{ path: string; folder: string | undefined }> {
  if (process.platform === "win32") {
    return { path: `\\\\.\\pipe\\dragoman-tools-${randomId()}`, folder: undefined };
  }
  const folder = await mkdtemp(join(tmpdir(), "dragoman-tools-"));
  return { path: join(folder, "socket"), folder };
}

function remove(folder: string | undefined): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** A channel whose first line must be the token. It closes if it is not. */
function authenticated(channel: Channel, token: ServerToken): Channel {
  return {
    closed: channel.closed,
    send: (line) => channel.send(line),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => channel.close(),
    open: (receive) => {
      let isTrusted = false;
      channel.open((line) => {
        if (isTrusted) return receive(line);
        isTrusted = token.matches(line);
        if (!isTrusted) void channel.close();
      });
    },
  };
}

function servePeer(channel: Channel, answer: ToolAnswer): Peer {
  const peer: Peer = new Peer(channel, {
    malformed: "answer",
    envelope: { ...plainEnvelope, cancelMethod: "notifications/cancelled" },
    // A cancelled request gets no answer in MCP.
    rewriter: {
      read: (message) => message,
      write: (message) => (isCancelledAnswer(message) ? undefined : message),
    },
    handlers: {
      request: async (method, params, { signal }) => {
        const result = await answer({
          method,
          params: isJsonObject(params) ? params : undefined,
          signal,
          notify: (name, more) => peer.notify(name, more),
        });
        return signal.aborted ? undefined : result;
      },
    },
  });
  return peer;
}

function isCancelledAnswer({ error }: JsonObject): boolean {
  return isJsonObject(error) && error["code"] === RpcCode.requestCancelled;
}

/** Finds the command of this package, from the program or from the current folder. */
async function findBridge(): Promise<BridgeCommand> {
  const program = process.argv[1];
  const start =
    program === undefined ? [] : [dirname(await realpath(program).catch(() => program))];
  for (const folder of [...start, process.cwd()].flatMap(withParents)) {
    for (const candidate of [join(folder, "node_modules", "dragoman"), folder]) {
      const command = await commandOf(candidate);
      if (command !== undefined)
        return { command: process.execPath, args: [command, "tool-bridge"] };
    }
  }
  const why = "the command of the package dragoman was not found: pass its command line as bridge";
  throw new ToolServerError("unavailable", why);
}

function withParents(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

/** The command of the package in a folder; undefined if another package is there, or none. */
async function commandOf(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    if (!isJsonObject(manifest) || manifest["name"] !== "dragoman") return undefined;
    const { bin } = manifest;
    const path = isJsonObject(bin) ? bin["dragoman"] : undefined;
    if (typeof path !== "string") return undefined;
    const command = join(folder, path);
    return existsSync(command) ? command : undefined;
  } catch {
    return undefined;
  }
}

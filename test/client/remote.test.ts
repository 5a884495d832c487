// An agent behind an address: what the client offers it, and what it sends.
import { afterEach, describe, expect, it } from "vitest";
import { type AgentDefinition, serveAgents } from "../../src/agent/index.ts";
import {
  AcpClient,
  type AcpClientConfig,
  InvalidArgumentError,
  localTerminals,
  StartError,
  type UrlTarget,
} from "../../src/client/index.ts";
import { listenRemote } from "../../src/transport/remote/index.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Transport = "websocket" | "http";
const transports: readonly Transport[] = ["websocket", "http"];

/** An agent that describes its client, and asks for permission to read and to edit. */
const agent: AgentDefinition<object> = {
  info: { name: "remote", version: "1.0.0" },
  localWorkspaces: false,
  newSession: () => ({}),
  prompt: async (turn) => {
    if (turn.text === "capabilities") {
      const { fs, terminal } = turn.client.capabilities;
      return turn.say(JSON.stringify({ fs, terminal }));
    }
    const [kind, path] = turn.text.split(" ");
    const { allowed } = await turn.askPermission({
      title: turn.text,
      kind: kind === "read" ? "read" : "edit",
      locations: [{ path: path ?? "" }],
    });
    return turn.say(allowed ? "allowed" : "denied");
  },
};

async function serve(transport: Transport): Promise<string> {
  const stop = new AbortController();
  const server = await listenRemote({
    authorize: ({ token }) => (token === "good-token" ? token : undefined),
  });
  const served = serveAgents(server, agent, { signal: stop.signal });
  cleanups.push(async () => {
    stop.abort();
    await served;
  });
  return transport === "http" ? server.url : server.webSocketUrl;
}

async function connect(config: AcpClientConfig & UrlTarget): Promise<AcpClient> {
  const client = await AcpClient.start({ token: "good-token", ...config });
  cleanups.push(() => client.close());
  return client;
}

describe.each(transports)("an agent behind an address, over %s", (transport) => {
  it("is offered neither files nor terminals", async () => {
    const client = await connect({ url: new URL(await serve(transport)) });
    const session = await client.newSession({ cwd: "/srv/does-not-exist-here" });
    expect(JSON.parse(await session.prompt("capabilities").text())).toEqual({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    });
  });

  it("is offered them with remoteFiles", async () => {
    const url = await serve(transport);
    const terminal = localTerminals();
    const client = await connect({ url, remoteFiles: true, terminal });
    const session = await client.newSession({ cwd: process.cwd() });
    expect(JSON.parse(await session.prompt("capabilities").text())).toMatchObject({
      fs: { readTextFile: true, writeTextFile: false },
      terminal: true,
    });
  });

  it("asks for permission, and paths are judged as text", async () => {
    const client = await connect({ url: await serve(transport), permissions: "read" });
    const session = await client.newSession({ cwd: "/srv/repo" });
    expect(await session.prompt("read /srv/repo/a.txt").text()).toBe("allowed");
    expect(await session.prompt("read /srv/repo/../other").text()).toBe("denied");
    expect(await session.prompt("edit /srv/repo/a.txt").text()).toBe("denied");
  });

  it("rejects start with the reason if the token is wrong", async () => {
    const url = await serve(transport);
    const started = connect({ url, token: "wrong" });
    await expect(started).rejects.toThrow("401");
    await expect(started).rejects.toBeInstanceOf(StartError);
  });

  it("gets other headers too", async () => {
    const headers = { Authorization: "Bearer good-token" };
    const client = await connect({ url: await serve(transport), headers, token: undefined });
    expect(client.agent.info?.name).toBe("remote");
  });
});

it("a session on a server may name a root instead of a path", async () => {
  const sent: unknown[] = [];
  const client = await connect({
    url: await serve("http"),
    tap: ({ direction, line }) => {
      if (direction === "out") sent.push(JSON.parse(line));
    },
  });
  // The toolkit itself takes paths only; a hub puts a path in place of the name.
  await expect(client.newSession({ cwd: "repo" })).rejects.toThrow("cwd");
  expect(sent.at(-1)).toMatchObject({ method: "session/new", params: { cwd: "repo" } });
  await expect(client.newSession({ cwd: "" })).rejects.toBeInstanceOf(InvalidArgumentError);
});

describe("start rejects with InvalidArgumentError", () => {
  const url = "http://127.0.0.1:1/acp";
  it.each<[string, object]>([
    ["for a terminal without remoteFiles", { url, terminal: localTerminals() }],
    ["for files without remoteFiles", { url, capabilities: { fs: { writeTextFile: true } } }],
    ["for another scheme", { url: "ftp://127.0.0.1/" }],
    ["for a password in the address", { url: "http://me:secret@127.0.0.1:1/" }],
    ["for a text that is not an address", { url: "nonsense" }],
    ["for two targets", { url, command: "agent" }],
  ])("%s", async (_name, config) => {
    const started = AcpClient.start(config as AcpClientConfig);
    await expect(started).rejects.toBeInstanceOf(InvalidArgumentError);
    await expect(started).rejects.not.toThrow("secret");
  });
});

it("start gives up when its time is over, even if the server never answers", async () => {
  const { createServer } = await import("node:net");
  const server = createServer(() => {});
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  cleanups.push(() => server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const started = AcpClient.start({ url: `ws://127.0.0.1:${port}/`, timeouts: { startMs: 20 } });
  await expect(started).rejects.toThrow("within 20 ms");
});

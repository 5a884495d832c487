// The server around a hub: who reaches which agent, metrics, certificates, and its end.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import {
  ExposedAddressError,
  openRoots,
  type TlsCredentials,
} from "../../../../src/host/hub/index.ts";
import {
  createHttpServer,
  parseTokens,
  type TokenGrant,
} from "../../../../src/transport/remote/index.ts";
import {
  afterwards,
  cleanUp,
  INITIALIZE,
  initialize,
  openStream,
  requestLine,
  send,
} from "../../../transport/remote/rig.ts";
import { CONNECTION_HEADERS, sendRaw, spellingsOf } from "../../../support/raw-request.ts";
import { FIRST, SECOND } from "./certificates.ts";
import { ADA, BOB, scriptedAgent, startHubServer, type TestToken, tokenFor } from "./rig.ts";

afterEach(cleanUp);

async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-serve-"));
  afterwards(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function get(server: { readonly port: number }, path: string, headers = {}) {
  return send(server, { method: "GET", path, headers: { authorization: "", ...headers } });
}

function openSocket(url: string, { headers }: TestToken): WebSocket {
  const socket = new WebSocket(url, { headers });
  afterwards(() => socket.terminate());
  return socket;
}

async function statusOf(url: string, token: TestToken): Promise<number> {
  const socket = openSocket(url, token);
  return new Promise((resolve, reject) => {
    socket.on("open", () => resolve(101));
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    socket.on("error", reject);
  });
}

describe("a path", () => {
  const agents = [scriptedAgent("echo"), scriptedAgent("my agent")];
  const narrow = tokenFor("narrow", { agents: ["my agent"] });
  const tokens = [ADA.grant, narrow.grant];

  it("leads to the only agent without naming it", async () => {
    const server = await startHubServer();
    await initialize(server, ADA.headers);
    expect(server.hub.clients).toMatchObject([{ owner: "ada", agent: { name: "echo" } }]);
  });

  it("names one of several agents", async () => {
    const server = await startHubServer({ agents, tokens });
    const path = "/acp/my%20agent";
    expect((await send(server, { path, headers: ADA.headers, body: INITIALIZE })).status).toBe(200);
    expect(await statusOf(`${server.webSocketUrl}/echo`, ADA)).toBe(101);
    expect(server.hub.clients.map(({ agent }) => agent.name)).toEqual(["my agent", "echo"]);
  });

  it("must name an agent if a token may use several", async () => {
    const server = await startHubServer({ agents, tokens });
    const answer = await send(server, { headers: ADA.headers, body: INITIALIZE });
    expect(answer).toMatchObject({ status: 404, body: "not found" });
    await initialize(server, narrow.headers);
  });

  it.each(["/acp", "/acp/echo", "/metrics"].flatMap(spellingsOf))(
    "leads nowhere if it is written as %s",
    async (target) => {
      const server = await startHubServer();
      for (const [method, connection] of [
        ["GET", CONNECTION_HEADERS.plain],
        ["POST", CONNECTION_HEADERS.plain],
        ["GET", CONNECTION_HEADERS.upgrade],
      ] as const) {
        for (const lines of [[], [`Authorization: ${ADA.headers.authorization}`]]) {
          const headers = [...lines, ...connection];
          const { status, text } = await sendRaw(
            server.port,
            `${method} ${target} HTTP/1.1`,
            headers,
          );
          // Below /acp, every path may name an agent, so a token is needed first.
          const isBelow = target.startsWith("/acp/") && lines.length === 0;
          expect([400, isBelow ? 401 : 404]).toContain(status);
          expect(text).not.toContain("dragoman_");
        }
      }
      expect(server.hub.clients).toEqual([]);
    },
  );

  it("hides agents that a token may not use, as if they did not exist", async () => {
    const server = await startHubServer({ agents, tokens });
    const answers = await Promise.all(
      ["/acp/echo", "/acp/missing", "/acp/%00", "/elsewhere"].map((path) =>
        send(server, { path, headers: narrow.headers, body: INITIALIZE }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(await statusOf(`${server.webSocketUrl}/echo`, narrow)).toBe(404);
    expect(server.hub.clients).toEqual([]);
  });
});

describe("a token", () => {
  it("decides about the owner, the role and attaching", async () => {
    const observer = tokenFor("watcher", { role: "observer", roots: ["repo"] });
    const folder = await scratchFolder();
    const roots = await openRoots([
      { name: "repo", folder },
      { name: "temp", folder: tmpdir() },
    ]);
    const server = await startHubServer({ tokens: [observer.grant], roots });
    await initialize(server, observer.headers);
    const [client] = server.hub.clients;
    expect(client).toMatchObject({ owner: "watcher", role: "observer", graceMs: 30_000 });
    const session = { sessionId: "s", agent: "echo", owner: "ada", cwd: folder };
    const rest = {
      additionalDirectories: [],
      title: undefined,
      isBusy: false,
      queued: 0,
      controllers: 1,
      observers: 0,
      usedAt: 0,
    };
    expect(client?.mayUse?.({ ...session, ...rest })).toBe(true);
    expect(client?.mayUse?.({ ...session, ...rest, cwd: tmpdir() })).toBe(false);
    const additionalDirectories = [tmpdir()];
    expect(client?.mayUse?.({ ...session, ...rest, additionalDirectories })).toBe(false);
    expect(client?.mayUse?.({ ...session, ...rest, agent: "other" })).toBe(true);
  });

  it("does not open the connection of another", async () => {
    const server = await startHubServer();
    const id = await initialize(server, ADA.headers);
    for (const method of ["POST", "GET", "DELETE"]) {
      const headers = { ...BOB.headers, "acp-connection-id": id, accept: "text/event-stream" };
      const body = method === "POST" ? requestLine(2, "session/new") : undefined;
      expect((await send(server, { method, headers, body })).status).toBe(404);
    }
  });

  it("that is removed from its file ends its connections, and only those", async () => {
    const file = join(await scratchFolder(), "tokens.json");
    const write = (...grants: readonly TokenGrant[]) =>
      writeFile(file, JSON.stringify({ version: 1, tokens: grants }));
    await write(ADA.grant, BOB.grant);
    const load = async () => {
      const { readFile } = await import("node:fs/promises");
      return parseTokens(await readFile(file, "utf8"));
    };
    const server = await startHubServer({ tokens: { files: [file], load } });
    const ada = openSocket(server.webSocketUrl, ADA);
    const bob = openSocket(server.webSocketUrl, BOB);
    await Promise.all([once(ada, "open"), once(bob, "open")]);
    const failed = server.next("reload_failed");
    await writeFile(file, "{");
    await failed;
    expect(bob.readyState).toBe(WebSocket.OPEN);
    const closed = once(bob, "close");
    await write(ADA.grant);
    await closed;
    expect(ada.readyState).toBe(WebSocket.OPEN);
    expect(await statusOf(server.webSocketUrl, BOB)).toBe(401);
    expect(server.events).toContainEqual(
      expect.objectContaining({ type: "connection_closed", owner: "bob", cause: "revoked" }),
    );
  });

  it("that expires ends its connections", async () => {
    const brief = tokenFor("brief", { expires: Date.now() + 400 });
    const server = await startHubServer({ tokens: [brief.grant] });
    const socket = openSocket(server.webSocketUrl, brief);
    await once(socket, "open");
    await once(socket, "close");
    expect(await statusOf(server.webSocketUrl, brief)).toBe(401);
  });
});

describe("the server", () => {
  it("listens on both loopback addresses, on one port", async () => {
    const server = await startHubServer();
    expect(server.addresses).toEqual(["127.0.0.1", "::1"]);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/acp`);
    const socket = connectSocket(server.port, "::1");
    await once(socket, "connect");
    socket.destroy();
  });

  it("refuses an address that others reach, without encryption", async () => {
    await expect(startHubServer({ host: "0.0.0.0" })).rejects.toThrow(ExposedAddressError);
    const server = await startHubServer({ host: "0.0.0.0", isInsecureAllowed: true });
    const host = `127.0.0.1:${server.port}`;
    expect((await get(server, "/healthz", { host })).status).toBe(200);
  });

  it("says that it is well, without a token and without a version", async () => {
    const server = await startHubServer();
    const answer = await get(server, "/healthz");
    expect(answer).toMatchObject({ status: 200, body: "ok\n" });
    expect(JSON.stringify(answer)).not.toMatch(/dragoman|node|\d\.\d\.\d/i);
    expect((await get(server, "/healthz", { host: "evil.example" })).status).toBe(403);
    expect((await get(server, "/healthz", { origin: "https://evil.example" })).status).toBe(403);
  });

  it("shows its metrics only to tokens that may use every agent", async () => {
    const narrow = tokenFor("narrow", { agents: ["echo"] });
    const server = await startHubServer({ tokens: [ADA.grant, narrow.grant] });
    await initialize(server, ADA.headers);
    expect((await get(server, "/metrics")).status).toBe(401);
    expect((await get(server, "/metrics", narrow.headers)).status).toBe(404);
    expect((await get(server, "/metrics?token=x", ADA.headers)).status).toBe(400);
    const { status, body, headers } = await get(server, "/metrics", ADA.headers);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4");
    expect(body).toContain('dragoman_connections{transport="http"} 1\n');
    expect(body).toContain('dragoman_refused_requests_total{status="401"} 1\n');
  });

  it("reports refused requests without their query and headers", async () => {
    const server = await startHubServer();
    await get(server, "/acp?token=secret", { authorization: "Bearer secret" });
    expect(server.events).toEqual([
      {
        type: "request_refused",
        method: "GET",
        path: "/acp",
        status: 400,
        reason: "token_in_address",
        origin: undefined,
        host: `127.0.0.1:${server.port}`,
        address: "127.0.0.1",
      },
    ]);
  });

  it("drains: it is not well anymore, takes no connections, and ends the others", async () => {
    const server = await startHubServer();
    const id = await initialize(server, ADA.headers);
    const stream = await openStream(server, { ...ADA.headers, "acp-connection-id": id });
    let release = (): void => {};
    const turn = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.hub.turn = turn;
    const drained = server.drain(1234);
    expect(await get(server, "/healthz")).toMatchObject({ status: 503, body: "draining\n" });
    const refused = await send(server, { headers: ADA.headers, body: INITIALIZE });
    expect(refused).toMatchObject({ status: 503, body: "the server is shutting down" });
    release();
    await Promise.all([drained, stream.ended]);
    expect(server.hub.drained).toEqual([1234]);
    await expect(get(server, "/healthz")).rejects.toThrow("ECONNREFUSED");
  });

  it("frees its port if it cannot listen on another address", async () => {
    const server = await startHubServer();
    await expect(startHubServer({ host: "127.0.0.1", port: server.port })).rejects.toThrow(
      "could not listen",
    );
  });
});

describe("a request that does not go on", () => {
  it.each([
    ["slow headers", "X-Slow: "],
    ["a half-sent body", 'Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"json'],
  ])("gets 408: %s", async (_name, rest) => {
    const server = await startHubServer({ headersMs: 100, limits: { bodyMs: 100 } });
    const socket = connectSocket(server.port, "127.0.0.1");
    const host = `Host: 127.0.0.1:${server.port}\r\n`;
    const token = `Authorization: ${ADA.headers.authorization}\r\n`;
    socket.write(`POST /acp HTTP/1.1\r\n${host}${token}${rest}`);
    let answer = "";
    socket.on("data", (piece) => (answer += piece.toString()));
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(server.hub.clients).toEqual([]);
  });

  it("has 10 s for its headers, unless another limit is set", async () => {
    const { headersTimeout, maxHeadersCount } = await createHttpServer({});
    expect(headersTimeout).toBe(10_000);
    expect(maxHeadersCount).not.toBe(0);
  });
});

/** The name in the certificate that a server shows. */
async function nameShown(port: number): Promise<string> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

it("serves over TLS, and takes a new certificate without a restart", async () => {
  const folder = await scratchFolder();
  const files = [join(folder, "cert.pem"), join(folder, "key.pem")] as const;
  const write = async ({ cert, key }: TlsCredentials) => {
    await Promise.all([writeFile(files[0], cert), writeFile(files[1], key)]);
  };
  const load = async () => {
    const { readFile } = await import("node:fs/promises");
    const [cert, key] = await Promise.all(files.map((file) => readFile(file, "utf8")));
    return { cert: cert ?? "", key: key ?? "" };
  };
  await write(FIRST);
  const server = await startHubServer({ host: "0.0.0.0", tls: { files, load } });
  expect(server.webSocketUrl).toBe(`wss://0.0.0.0:${server.port}/acp`);
  expect(await nameShown(server.port)).toBe("first");
  const socket = new WebSocket(`wss://127.0.0.1:${server.port}/acp`, {
    headers: ADA.headers,
    rejectUnauthorized: false,
  });
  afterwards(() => socket.terminate());
  await once(socket, "open");
  const failed = server.next("reload_failed");
  await writeFile(files[1], "not a key");
  await failed;
  expect(await nameShown(server.port)).toBe("first");
  const reloaded = server.next("reloaded");
  await write(SECOND);
  await reloaded;
  expect(await nameShown(server.port)).toBe("second");
  expect(socket.readyState).toBe(WebSocket.OPEN);
});

// The transport's lines of the security checklist: each is refused, before anything else happens.
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { bearerProtocols } from "../../../../src/transport/remote/websocket/subprotocols.ts";
import { CONNECTION_HEADERS, sendRaw, spellingsOf } from "../../../support/raw-request.ts";
import {
  afterwards,
  AUTHORIZATION,
  cleanUp,
  initialize,
  INITIALIZE,
  openStream,
  type PlainRequest,
  requestLine,
  send,
  startServer,
  type TestServer,
} from "../rig.ts";

afterEach(cleanUp);

const PAGE = "https://editor.example";

/** Tries to open a WebSocket. Returns the status of the answer, or 101. */
async function upgrade(
  server: TestServer,
  headers: Readonly<Record<string, string>>,
  protocols: readonly string[] = [],
  path = "",
): Promise<number> {
  const socket = new WebSocket(`${server.webSocketUrl}${path}`, [...protocols], { headers });
  afterwards(() => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.on("open", () => resolve(101));
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    socket.on("error", reject);
  });
}

const refusals = [
  ["a host name that points here (DNS rebinding)", 403, { host: "evil.example:80" }],
  ["a loopback name with another port", 403, { host: "localhost:1" }],
  ["a foreign page", 403, { origin: "https://evil.example" }],
  ["a page without an origin, such as a file", 403, { origin: "null" }],
  ["a wrong token", 401, { authorization: "Bearer wrong" }],
  ["no token", 401, { authorization: "" }],
  ["another scheme", 401, { authorization: "Basic d3Jvbmc6d3Jvbmc=" }],
] as const;

describe("the endpoint refuses", () => {
  const requests: readonly (readonly [string, PlainRequest])[] = [
    ["POST", { method: "POST", body: INITIALIZE }],
    ["GET", { method: "GET", headers: { accept: "text/event-stream" } }],
    ["DELETE", { method: "DELETE" }],
  ];
  for (const [name, status, headers] of refusals) {
    it.each(requests)(`${name} on %s`, async (_method, request) => {
      const server = await startServer({ origins: [PAGE] });
      const named = { ...request.headers, "acp-connection-id": "x" };
      const sent = request.method === "POST" ? request.headers : named;
      const answer = await send(server, { ...request, headers: { ...sent, ...headers } });
      expect(answer.status).toBe(status);
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
      expect(server.channels).toEqual([]);
    });

    it(`${name} on a WebSocket, with a real HTTP answer`, async () => {
      const server = await startServer({ origins: [PAGE] });
      expect(await upgrade(server, { ...AUTHORIZATION, ...headers })).toBe(status);
      expect(server.channels).toEqual([]);
    });
  }

  it("a token in the address", async () => {
    const server = await startServer();
    const path = "/acp?token=a-token-for-tests&authorization=Bearer%20a-token-for-tests";
    const headers = { authorization: "" };
    expect((await send(server, { path, headers, body: INITIALIZE })).status).toBe(400);
    expect((await send(server, { path, body: INITIALIZE })).status).toBe(400);
    expect(await upgrade(server, {}, [], "?token=a-token-for-tests")).toBe(400);
    expect(await upgrade(server, AUTHORIZATION, [], "?api_key=a-token-for-tests")).toBe(400);
  });

  it.each(spellingsOf("/acp"))("%s, without asking who the client is", async (target) => {
    let asked = 0;
    const authorize = ({ token }: { readonly token: string | undefined }) => {
      asked++;
      return token;
    };
    const server = await startServer({ authorize });
    for (const [method, connection] of [
      ["POST", CONNECTION_HEADERS.plain],
      ["GET", CONNECTION_HEADERS.upgrade],
    ] as const) {
      for (const lines of [[], [`Authorization: ${AUTHORIZATION.authorization}`]]) {
        const headers = [...lines, ...connection];
        const { status } = await sendRaw(server.port, `${method} ${target} HTTP/1.1`, headers);
        expect([400, 404]).toContain(status);
      }
    }
    expect(asked).toBe(0);
    expect(server.channels).toEqual([]);
  });

  it("a request of another site that hides its origin", async () => {
    const server = await startServer({ origins: [PAGE] });
    const site = { "sec-fetch-site": "cross-site" };
    const answer = await send(server, { headers: site, body: INITIALIZE });
    expect(answer.status).toBe(403);
    expect(await upgrade(server, { ...AUTHORIZATION, ...site })).toBe(403);
    await initialize(server, { ...site, origin: PAGE });
  });

  it("everything before it reads the body", async () => {
    let asked = 0;
    const server = await startServer({ authorize: () => void asked++ });
    const socket = connect(server.port, "127.0.0.1");
    afterwards(() => socket.destroy());
    const head = [
      "POST /acp HTTP/1.1",
      `Host: 127.0.0.1:${server.port}`,
      "Content-Length: 1000000",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 401 /);
    expect(asked).toBe(1);
  });

  it("the host before the token", async () => {
    let asked = 0;
    const server = await startServer({ authorize: () => void asked++ });
    await send(server, { headers: { host: "evil.example" }, body: INITIALIZE });
    await upgrade(server, { origin: PAGE });
    expect(asked).toBe(0);
  });
});

describe("the endpoint accepts", () => {
  it("loopback names, the configured ones, and the configured pages", async () => {
    const server = await startServer({ hosts: ["agents.example"], origins: [PAGE] });
    for (const host of [`localhost:${server.port}`, `[::1]:${server.port}`, "agents.example"]) {
      await initialize(server, { host, origin: PAGE });
    }
    expect(await upgrade(server, { ...AUTHORIZATION, origin: PAGE })).toBe(101);
  });

  it("a token in a subprotocol, and echoes only the plain one", async () => {
    const server = await startServer();
    const socket = new WebSocket(server.webSocketUrl, [...bearerProtocols("päge")]);
    afterwards(() => socket.terminate());
    await once(socket, "open");
    expect(socket.protocol).toBe("dragoman");
    expect(server.channels[0]?.access).toBe("päge");
  });

  it("the preflight of a configured page, and shows it the connection's id", async () => {
    const server = await startServer({ origins: [PAGE] });
    const headers = { origin: PAGE, authorization: "" };
    expect(await send(server, { method: "OPTIONS", headers })).toMatchObject({
      status: 204,
      headers: {
        "access-control-allow-origin": PAGE,
        "access-control-allow-headers": expect.stringContaining("acp-connection-id"),
      },
    });
    expect(await send(server, { headers: { origin: PAGE }, body: INITIALIZE })).toMatchObject({
      status: 200,
      headers: {
        "access-control-allow-origin": PAGE,
        "access-control-expose-headers": "acp-connection-id",
        vary: "origin",
      },
    });
  });
});

describe("a connection", () => {
  it("does not exist for the owner of another token", async () => {
    const server = await startServer();
    const named = { "acp-connection-id": await initialize(server) };
    const foreign = { ...named, authorization: "Bearer another-token" };
    const body = requestLine(2, "session/new");
    expect((await send(server, { headers: foreign, body })).status).toBe(404);
    expect((await openStream(server, foreign)).status).toBe(404);
    expect((await send(server, { method: "DELETE", headers: foreign })).status).toBe(404);
    expect((await send(server, { headers: named, body })).status).toBe(202);
  });

  it("belongs to its owner even if the token changes, if the caller says so", async () => {
    const server = await startServer({ owner: (access) => access.slice(0, 1) });
    const named = { "acp-connection-id": await initialize(server) };
    const rotated = { ...named, authorization: "Bearer another-token" };
    const body = requestLine(2, "session/new");
    expect((await send(server, { headers: rotated, body })).status).toBe(202);
  });
});

describe("too many", () => {
  it("failed attempts of an address get 429, and valid tokens still pass", async () => {
    const server = await startServer({ limits: { maxFailuresPerMinute: 2 } });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) {
      const headers = { authorization: "Bearer wrong" };
      statuses.push((await send(server, { headers, body: INITIALIZE })).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
    await initialize(server);
  });

  it("new connections of an owner get 429", async () => {
    const server = await startServer({ limits: { maxConnectsPerMinute: 1 } });
    await initialize(server);
    expect((await send(server, { body: INITIALIZE })).status).toBe(429);
    expect(await upgrade(server, AUTHORIZATION)).toBe(429);
    await initialize(server, { authorization: "Bearer another-token" });
  });
});

describe("a slow client", () => {
  it("gets 408 if its body does not come in time", async () => {
    const server = await startServer({ limits: { bodyMs: 20 } });
    const socket = connect(server.port, "127.0.0.1");
    afterwards(() => socket.destroy());
    const head = [
      "POST /acp HTTP/1.1",
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: ${AUTHORIZATION.authorization}`,
      "Content-Type: application/json",
      "Content-Length: 1000",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n{"half":`);
    const closed = once(socket, "close");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /);
    await closed;
  });

  it("gets 408 if its headers do not come in time", async () => {
    const server = await startServer({ headersMs: 20 });
    const socket = connect(server.port, "127.0.0.1");
    afterwards(() => socket.destroy());
    socket.write("POST /acp HTTP/1.1\r\nHost: ");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /);
  });

  it("gets 431 for headers above 16 KiB", async () => {
    const server = await startServer();
    const headers = { "x-long": "x".repeat(17_000) };
    expect((await send(server, { headers, body: INITIALIZE })).status).toBe(431);
  });
});

it("errors of the caller's check are not shown", async () => {
  const server = await startServer({
    authorize: () => {
      throw new Error("the database at 10.0.0.1 is down");
    },
  });
  const answer = await send(server, { body: INITIALIZE });
  expect(answer.status).toBe(500);
  expect(answer.body).not.toContain("10.0.0.1");
  expect(await upgrade(server, AUTHORIZATION)).toBe(500);
});

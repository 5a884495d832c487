// The routes and status codes of streamable HTTP.
import { afterEach, describe, expect, it } from "vitest";
import {
  cleanUp,
  eventsIn,
  initialize,
  openStream,
  requestLine,
  send,
  startServer,
  updateLine,
} from "../rig.ts";

afterEach(cleanUp);

const NEW = requestLine(2, "session/new");
const PROMPT = requestLine(3, "session/prompt", { sessionId: "s", updates: 3 });

/** A server with one connection, and the headers that name it. */
async function connected(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer(options);
  const id = await initialize(server);
  return { server, named: { "acp-connection-id": id } };
}

describe("streamable HTTP", () => {
  it("answers initialize in the response, with the id of the connection", async () => {
    const server = await startServer();
    const answer = await send(server, { body: requestLine("one", "initialize") });
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(JSON.parse(answer.body)).toEqual({
      jsonrpc: "2.0",
      id: "one",
      result: { protocolVersion: 1 },
    });
    expect(answer.headers["acp-connection-id"]).toBe(server.channels[0]?.connectionId);
    expect(server.channels[0]).toMatchObject({ access: "a-token-for-tests", transport: "http" });
  });

  it("answers other requests on the streams, which may be opened later", async () => {
    const { server, named } = await connected();
    expect(await send(server, { headers: named, body: NEW })).toMatchObject({
      status: 202,
      body: "",
    });
    const ofSession = { ...named, "acp-session-id": "s" };
    expect((await send(server, { headers: ofSession, body: PROMPT })).status).toBe(202);

    const connection = await openStream(server, named);
    expect(await connection.until('"id":2')).toContain('data: {"jsonrpc":"2.0","id":2');
    const session = await openStream(server, ofSession);
    await session.until('"id":3');
    expect(eventsIn(session.text()).map(({ n }) => n)).toEqual([1, 2, 3, undefined]);
    expect(connection.text()).not.toContain("session/update");
  });

  it("sends the answer to session/load after the history, if the session's stream is open", async () => {
    const { server, named } = await connected();
    const ofSession = { ...named, "acp-session-id": "old" };
    const session = await openStream(server, ofSession);
    const load = requestLine(4, "session/load", { sessionId: "old" });
    await send(server, { headers: ofSession, body: load });
    const [channel] = server.channels;
    void channel?.send(updateLine("old", 1));
    void channel?.send('{"jsonrpc":"2.0","id":4,"result":{}}');
    await session.until('"id":4');
    expect(eventsIn(session.text()).map(({ id }) => id)).toEqual([1, 2]);
  });

  it("sends the answer to session/load on the connection's stream otherwise", async () => {
    const { server, named } = await connected();
    const load = requestLine(4, "session/load", { sessionId: "old" });
    await send(server, { headers: { ...named, "acp-session-id": "old" }, body: load });
    void server.channels[0]?.send('{"jsonrpc":"2.0","id":4,"result":{}}');
    const connection = await openStream(server, named);
    expect(await connection.until('"id":4')).toContain('"result":{}');
  });

  it("ends a connection and its streams on DELETE, once", async () => {
    const { server, named } = await connected();
    const stream = await openStream(server, named);
    expect((await send(server, { method: "DELETE", headers: named })).status).toBe(202);
    await stream.ended;
    expect(await server.channels[0]?.closed).toEqual({ kind: "ended" });
    expect((await send(server, { method: "DELETE", headers: named })).status).toBe(404);
  });

  it("ends the streams after the last message when the agent closes its channel", async () => {
    const { server, named } = await connected();
    const stream = await openStream(server, named);
    void server.channels[0]?.send('{"jsonrpc":"2.0","method":"_bye"}');
    await server.channels[0]?.close();
    await stream.ended;
    expect(stream.text()).toContain("_bye");
    expect((await send(server, { headers: named, body: NEW })).status).toBe(404);
  });

  it("gives a stream to the last client that asks for it", async () => {
    const { server, named } = await connected();
    const first = await openStream(server, named);
    const second = await openStream(server, named);
    await first.ended;
    await send(server, { headers: named, body: NEW });
    expect(await second.until('"id":2')).toContain('"sessionId":"s"');
  });

  it("refuses new connections with 503 while the limit is reached", async () => {
    const { server } = await connected({ maxConnections: 1 });
    const refused = await send(server, { body: requestLine(1, "initialize") });
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    await server.channels[0]?.close();
    await initialize(server);
  });

  it("refuses new connections with 503 after close, and keeps the others", async () => {
    const { server, named } = await connected();
    const closing = server.close();
    expect((await send(server, { body: requestLine(1, "initialize") })).status).toBe(503);
    expect((await send(server, { headers: named, body: NEW })).status).toBe(202);
    await send(server, { method: "DELETE", headers: named });
    await closing;
    expect(await server.closed).toBeUndefined();
  });

  it("sends a sign of life on silent streams", async () => {
    const { server, named } = await connected({ limits: { pingMs: 5 } });
    const stream = await openStream(server, named);
    expect(await stream.until("\n:\n\n")).toBe("id: 0\n\n:\n\n");
  });
});

describe("a message is refused", () => {
  const cases = [
    ["415 for a wrong content type", 415, { headers: { "content-type": "text/plain" }, body: NEW }],
    ["400 if it is not JSON", 400, { body: "{" }],
    ["400 if it is not an object", 400, { body: "7" }],
    [
      "400 if it is nested too deeply",
      400,
      { body: `{"a":${"[".repeat(2000)}${"]".repeat(2000)}}` },
    ],
    ["501 if it is a batch", 501, { body: `[${NEW}]` }],
    ["400 for a second initialize", 400, { body: requestLine(9, "initialize") }],
    ["400 for a prompt without the session's header", 400, { body: PROMPT }],
    [
      "400 if header and params name different sessions",
      400,
      { headers: { "acp-session-id": "other" }, body: PROMPT },
    ],
    ["400 for an id that is too long", 400, { body: requestLine("x".repeat(2000), "session/new") }],
    [
      "400 for a session id that is too long",
      400,
      { headers: { "acp-session-id": "x".repeat(2000) }, body: NEW },
    ],
    ["413 above the limit", 413, { body: requestLine(2, "x", { text: "x".repeat(3000) }) }],
  ] as const;

  it.each(cases)("with %s", async (_name, status, request) => {
    const { server, named } = await connected({ limits: { maxMessageBytes: 2 * 2300 } });
    const body = status === 413 ? request.body + " ".repeat(5000) : request.body;
    const headers = { ...named, ...("headers" in request ? request.headers : {}) };
    expect((await send(server, { headers, body })).status).toBe(status);
    expect(server.received).toHaveLength(1);
    expect((await send(server, { headers: named, body: NEW })).status).toBe(202);
  });

  it("with 400 without a connection, unless it is initialize", async () => {
    const server = await startServer();
    expect((await send(server, { body: NEW })).status).toBe(400);
    const withoutId = '{"jsonrpc":"2.0","method":"initialize"}';
    expect((await send(server, { body: withoutId })).status).toBe(400);
    expect(server.channels).toEqual([]);
  });

  it("with 404 for an unknown connection", async () => {
    const { server } = await connected();
    const headers = { "acp-connection-id": "8c6d2c1e" };
    expect((await send(server, { headers, body: NEW })).status).toBe(404);
  });

  it("with 400 if it answers a session's question without naming the session", async () => {
    const { server, named } = await connected();
    void server.channels[0]?.send(requestLine(7, "session/request_permission", { sessionId: "s" }));
    const body = '{"jsonrpc":"2.0","id":7,"result":{}}';
    expect((await send(server, { headers: named, body })).status).toBe(400);
    const headers = { ...named, "acp-session-id": "s" };
    expect((await send(server, { headers, body })).status).toBe(202);
  });

  it("with 429 while too many requests are unanswered", async () => {
    const { server, named } = await connected({ limits: { maxPending: 2 } });
    const unknown = (id: number): string => requestLine(id, "_never/answered");
    expect((await send(server, { headers: named, body: unknown(2) })).status).toBe(202);
    expect((await send(server, { headers: named, body: unknown(3) })).status).toBe(202);
    expect((await send(server, { headers: named, body: unknown(4) })).status).toBe(429);
  });
});

describe("a request is refused", () => {
  it.each([
    ["405 for another method", 405, { method: "PUT" }],
    ["405 for a preflight without a page", 405, { method: "OPTIONS" }],
    ["404 for another path", 404, { method: "GET", path: "/acp/more" }],
    ["406 for a GET that does not accept events", 406, { method: "GET" }],
  ] as const)("with %s", async (_name, status, request) => {
    const { server, named } = await connected();
    expect((await send(server, { ...request, headers: named })).status).toBe(status);
  });

  it("with 400 without a connection", async () => {
    const server = await startServer();
    for (const method of ["GET", "DELETE"]) {
      const headers = { accept: "text/event-stream" };
      expect((await send(server, { method, headers })).status).toBe(400);
    }
  });

  it("with 429 if it opens the stream of one session too many", async () => {
    const { server, named } = await connected({ limits: { maxSessions: 2 } });
    await openStream(server, named);
    for (const session of ["a", "b"]) {
      const stream = await openStream(server, { ...named, "acp-session-id": session });
      expect(stream.status).toBe(200);
    }
    const { status } = await openStream(server, { ...named, "acp-session-id": "c" });
    expect(status).toBe(429);
  });
});

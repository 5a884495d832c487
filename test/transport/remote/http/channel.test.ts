// The client's side of streamable HTTP: against our server, and against servers that behave differently.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextRound } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import {
  HttpChannel,
  type HttpChannelOptions,
} from "../../../../src/transport/remote/http/channel.ts";
import { deferred } from "../../../../src/base/index.ts";
import {
  afterwards,
  AUTHORIZATION,
  cleanUp,
  INITIALIZE,
  requestLine,
  startServer,
  updateLine,
} from "../rig.ts";
import { startProxy } from "../tcp-proxy.ts";

afterEach(cleanUp);

const QUICK = { firstMs: 1, longestMs: 5 };

interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly update?: { readonly n?: number } };
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: unknown };
}

/** An open channel on which `initialize` was sent, and the messages that arrive on it. */
async function openChannel(url: string, options: HttpChannelOptions = {}) {
  const channel = new HttpChannel(url, { headers: AUTHORIZATION, retry: QUICK, ...options });
  afterwards(() => channel.close());
  const frames: Frame[] = [];
  let arrived = (): void => {};
  channel.open((line) => {
    frames.push(JSON.parse(line) as Frame);
    arrived();
  });
  const until = async (wanted: (frame: Frame) => boolean): Promise<Frame> => {
    for (;;) {
      const found = frames.find((frame) => wanted(frame));
      if (found) return found;
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  };
  await channel.send(INITIALIZE);
  return { channel, frames, until, answer: (id: number) => until((frame) => frame.id === id) };
}

/** The same response. Calls back when its body ends or its reader goes away. */
function watched({ body, status, headers }: Response, ended: () => void): Response {
  const reader = body?.getReader();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const piece = await reader?.read();
      if (piece?.value) return controller.enqueue(piece.value);
      controller.close();
    } catch (error) {
      controller.error(error);
    }
    ended();
  };
  const cancel = (): Promise<void> | undefined => {
    ended();
    return reader?.cancel();
  };
  return new Response(new ReadableStream({ pull, cancel }), { status, headers });
}

describe("a channel to our server", () => {
  it("loses and doubles nothing while its connections are dropped again and again", async () => {
    const server = await startServer({}, (line, channel) => {
      const { id, method } = JSON.parse(line) as Frame;
      const result = method === "session/new" ? { sessionId: "s" } : {};
      if (method !== "session/prompt")
        void channel.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    const proxy = await startProxy(server.port);
    const { channel, frames, until, answer } = await openChannel(
      `http://127.0.0.1:${proxy.port}/acp`,
    );
    await channel.send(requestLine(2, "session/new"));
    await answer(2);
    await channel.send(requestLine(3, "session/prompt", { sessionId: "s" }));
    const [agent] = server.channels;
    for (let round = 1; round <= 20; round++) {
      for (let n = 1; n <= 50; n++) {
        await agent?.send(updateLine("s", 50 * (round - 1) + n));
        // Drops connections while events are on their way, at ever other places.
        if (n === 2 * round) proxy.drop();
      }
      await agent?.send(JSON.stringify({ jsonrpc: "2.0", method: `_round/${round}` }));
      await until(({ method }) => method === `_round/${round}`);
      await until((frame) => frame.params?.update?.n === 50 * round);
    }
    await agent?.send('{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}');
    expect(await answer(3)).toMatchObject({ result: { stopReason: "end_turn" } });
    const numbers = frames.flatMap(({ params }) => params?.update?.n ?? []);
    expect(numbers).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
  });

  it("delivers an answer to the agent although the server is out of reach for a while", async () => {
    const server = await startServer();
    const proxy = await startProxy(server.port);
    const { channel, until } = await openChannel(`http://127.0.0.1:${proxy.port}/acp`);
    await channel.send(requestLine(2, "session/new"));
    void server.channels[0]?.send(requestLine(9, "session/request_permission", { sessionId: "s" }));
    await until(({ method }) => method === "session/request_permission");
    proxy.refuse(true);
    proxy.drop();
    const sent = channel.send('{"jsonrpc":"2.0","id":9,"result":{}}');
    setImmediate(() => proxy.refuse(false));
    await sent;
    expect(server.received.at(-1)).toContain('"id":9');
  });

  it("holds up the agent while it is paused", async () => {
    const server = await startServer();
    const { channel, frames, answer } = await openChannel(server.url);
    await channel.send(requestLine(2, "session/new"));
    await answer(2);
    channel.pause();
    const [agent] = server.channels;
    const text = "x".repeat(100_000);
    let isHeld = false;
    const flood = async (): Promise<void> => {
      for (let n = 1; n <= 500; n++) {
        const room = agent?.send(updateLine("s", n, text));
        const timer = setTimeout(() => (isHeld = true), 20);
        await room;
        clearTimeout(timer);
      }
    };
    const flooding = flood();
    await expect.poll(() => isHeld).toBe(true);
    expect(frames.filter(({ method }) => method === "session/update").length).toBeLessThan(5);
    channel.resume();
    await flooding;
    await expect.poll(() => frames.at(-1)?.params?.update?.n).toBe(500);
    expect(frames.flatMap(({ params }) => params?.update?.n ?? [])).toHaveLength(500);
  });

  it("ends the connection on the server when it is closed", async () => {
    const server = await startServer();
    const { channel } = await openChannel(server.url);
    expect(await channel.close()).toEqual({ kind: "closed" });
    expect(await server.channels[0]?.closed).toEqual({ kind: "ended" });
    await expect(channel.send(INITIALIZE)).rejects.toThrow("the channel is closed");
  });

  it("requests nothing anymore while the server ends the connection", async () => {
    const server = await startServer();
    const requests: string[] = [];
    const streamEnded = deferred();
    const { channel } = await openChannel(server.url, {
      async fetch(url, init) {
        requests.push(init?.method ?? "");
        const response = await fetch(url, init);
        if (init?.method === "GET") return watched(response, () => streamEnded.resolve());
        if (init?.method === "DELETE") {
          // The server ends the streams before the channel learns that the connection is over.
          await streamEnded.promise;
          await nextRound();
        }
        return response;
      },
    });
    await channel.close();
    expect(requests).toEqual(["POST", "GET", "DELETE"]);
  });

  it("ends after the last message when the server ends the connection", async () => {
    const server = await startServer();
    const { channel, frames } = await openChannel(server.url);
    void server.channels[0]?.send('{"jsonrpc":"2.0","method":"_bye"}');
    await server.channels[0]?.close();
    expect(await channel.closed).toMatchObject({ kind: "ended" });
    expect(frames.at(-1)?.method).toBe("_bye");
  });

  it("starts another connection with a second initialize", async () => {
    const server = await startServer();
    const { channel, answer } = await openChannel(server.url);
    await channel.send(requestLine(5, "initialize"));
    await answer(5);
    expect(await server.channels[0]?.closed).toEqual({ kind: "ended" });
    await channel.send(requestLine(6, "session/new"));
    expect(await answer(6)).toMatchObject({ result: { sessionId: "s" } });
    expect(server.channels).toHaveLength(2);
  });

  it("fails with the status if the server refuses the token", async () => {
    const server = await startServer();
    const { channel } = await openChannel(server.url, {
      headers: { authorization: "Bearer wrong" },
    });
    expect(await channel.closed).toMatchObject({
      kind: "failed",
      error: { name: "HttpStatusError", status: 401 },
    });
  });

  it("fails if the server cannot be reached", async () => {
    const { channel } = await openChannel("http://127.0.0.1:1/acp");
    expect(await channel.closed).toMatchObject({ kind: "failed" });
  });

  it("answers a request that the server refuses with an error", async () => {
    const server = await startServer({ limits: { maxMessageBytes: 1000 } });
    const { channel, answer } = await openChannel(server.url);
    await channel.send(requestLine(2, "_long", { text: "x".repeat(1000) }));
    expect(await answer(2)).toMatchObject({ error: { code: -32603, data: { status: 413 } } });
  });
});

/** Whether a channel is still open after everything that is ready has run. */
async function isOpen(channel: HttpChannel): Promise<boolean> {
  let isClosed = false;
  void channel.closed.then(() => {
    isClosed = true;
  });
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  return !isClosed;
}

type Route = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server that answers as a function says, after it has read the whole body. */
async function scriptedServer(route: Route): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      if (body.includes("initialize")) answerInitialize(response);
      else route(request, response, body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterwards(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/acp`;
}

function answerInitialize(response: ServerResponse): void {
  const headers = { "content-type": "application/json", "acp-connection-id": "c" };
  response.writeHead(200, { ...headers, "set-cookie": "node=7; Path=/" });
  response.end('{"jsonrpc":"2.0","id":1,"result":{}}');
}

const EVENTS = { "content-type": "text/event-stream" };

describe("a server without event ids", () => {
  /** Serves streams that `end` ends once the prompt was posted. */
  async function withoutIds(end: (stream: ServerResponse) => void) {
    const streams: ServerResponse[] = [];
    const url = await scriptedServer(({ method, headers }, response, body) => {
      if (method === "GET") {
        response.writeHead(200, EVENTS).flushHeaders();
        if (headers["acp-session-id"] === undefined) return void streams.unshift(response);
        return void streams.push(response);
      }
      response.writeHead(202).end();
      const isNew = body.includes("session/new");
      if (isNew) streams[0]?.write('data: {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}\n\n');
      const stream = streams.at(-1);
      if (body.includes("session/prompt") && stream) end(stream);
    });
    const opened = await openChannel(url);
    await opened.channel.send(requestLine(2, "session/new"));
    await opened.answer(2);
    await opened.channel.send(requestLine(3, "session/prompt", { sessionId: "s" }));
    return { ...opened, streams };
  }

  it("may have lost the answer with a broken stream, so the request fails", async () => {
    const { answer, channel } = await withoutIds((stream) => stream.destroy());
    expect(await answer(3)).toMatchObject({ error: { data: { outcome: "unknown" } } });
    expect(await isOpen(channel)).toBe(true);
  });

  it("has lost nothing with a stream that it ended, so the request goes on", async () => {
    const { answer, streams } = await withoutIds((stream) => stream.end());
    await expect.poll(() => streams.length).toBe(3);
    streams.at(-1)?.write('data: {"jsonrpc":"2.0","id":3,"result":{}}\n\n');
    expect(await answer(3)).toMatchObject({ result: {} });
  });
});

describe("a server that behaves differently", () => {
  it("gets its cookies back", async () => {
    const cookies: (string | undefined)[] = [];
    const url = await scriptedServer(({ method, headers }, response) => {
      cookies.push(headers.cookie);
      if (method === "GET") return response.writeHead(200, EVENTS).flushHeaders();
      response.writeHead(202).end();
    });
    const { channel } = await openChannel(url);
    await channel.close();
    expect(cookies).toEqual(["node=7", "node=7"]);
  });

  it("does not get the token through a redirect", async () => {
    const tokens: (string | undefined)[] = [];
    const target = await scriptedServer(({ headers }, response) => {
      tokens.push(headers.authorization);
      response.end();
    });
    const url = await scriptedServer((_request, response) => {
      response.writeHead(307, { location: target }).end();
    });
    const { channel } = await openChannel(url);
    expect(await channel.closed).toMatchObject({ kind: "failed" });
    expect(tokens).toEqual([]);
  });

  it("may refuse the stream of a session without ending the connection", async () => {
    const url = await scriptedServer(({ method, headers }, response) => {
      const isSession = headers["acp-session-id"] !== undefined;
      if (method === "GET" && isSession) return void response.writeHead(403).end("not owned");
      if (method === "GET") {
        response.writeHead(200, EVENTS);
        return void response.write('data: {"jsonrpc":"2.0","id":2,"result":{}}\n\n');
      }
      response.writeHead(202).end();
    });
    const { channel, answer } = await openChannel(url);
    await channel.send(requestLine(2, "session/load", { sessionId: "s" }));
    expect(await answer(2)).toMatchObject({ result: {} });
    expect(await isOpen(channel)).toBe(true);
  });

  it("gets the request for a lost session stream again with the next message", async () => {
    let gets = 0;
    const lastEventIds: unknown[] = [];
    let connection: ServerResponse | undefined;
    const url = await scriptedServer(({ method, headers }, response, body) => {
      if (method === "GET" && headers["acp-session-id"] === undefined) {
        connection = response;
        return response.writeHead(200, EVENTS).flushHeaders();
      }
      if (method === "GET") {
        lastEventIds.push(headers["last-event-id"]);
        if (++gets === 1) return void response.writeHead(404).end();
        response.writeHead(200, EVENTS);
        return void response.write('data: {"jsonrpc":"2.0","id":3,"result":{}}\n\n');
      }
      response.writeHead(202).end();
      if (body.includes("session/new")) {
        connection?.write('data: {"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}\n\n');
      }
    });
    const { channel, answer } = await openChannel(url);
    await channel.send(requestLine(2, "session/new"));
    await answer(2);
    await channel.send(requestLine(3, "session/prompt", { sessionId: "s" }));
    expect(await answer(3)).toMatchObject({ result: {} });
    expect(lastEventIds).toEqual(["0", "0"]);
  });

  it("may answer in the response to the POST", async () => {
    const url = await scriptedServer(({ method }, response) => {
      if (method === "GET") return response.writeHead(200, EVENTS).flushHeaders();
      response.end('{"jsonrpc":"2.0","id":2,\n"result":{}}');
    });
    const { channel, answer } = await openChannel(url);
    await channel.send(requestLine(2, "_x"));
    expect(await answer(2)).toMatchObject({ result: {} });
  });

  it("is asked again when a stream is silent for too long", async () => {
    let streams = 0;
    const url = await scriptedServer(({ method }, response) => {
      if (method !== "GET") return void response.writeHead(202).end();
      response.writeHead(200, EVENTS).flushHeaders();
      if (++streams === 3) response.write('data: {"jsonrpc":"2.0","method":"_back"}\n\n');
    });
    const { until } = await openChannel(url, { retry: { ...QUICK, silenceMs: 200 } });
    await until(({ method }) => method === "_back");
  });

  it("fails the channel with an event that is too long", async () => {
    const url = await scriptedServer(({ method }, response) => {
      if (method !== "GET") return void response.writeHead(202).end();
      response.writeHead(200, EVENTS);
      response.write(`data: ${"x".repeat(5000)}`);
    });
    const { channel } = await openChannel(url, { maxLineBytes: 1000 });
    expect(await channel.closed).toMatchObject({
      kind: "failed",
      error: { name: "EventTooLongError" },
    });
  });

  it("fails the channel if its streams always end at once", async () => {
    let streams = 0;
    const url = await scriptedServer(({ method }, response) => {
      if (method === "GET") streams++;
      response.writeHead(200, EVENTS).end("id: 1\n\n");
    });
    const { channel } = await openChannel(url);
    expect(await channel.closed).toMatchObject({ kind: "failed" });
    expect(streams).toBe(9);
  });
});

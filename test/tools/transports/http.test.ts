import { request as httpRequest } from "node:http";
import { connect as connectTcp } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Tool, toolServer, defineTool } from "../../../src/entries/tools.ts";
import type { OpenToolServer } from "../../../src/tools/index.ts";
import type { HttpToolEndpoint } from "../../../src/tools/index.ts";
import { redactValue } from "../../../src/base/index.ts";
import { CONNECTION_HEADERS, sendRaw, spellingsOf } from "../../support/raw-request.ts";
import { fail, greet, waitingTool } from "../fixtures.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function open(...tools: readonly Tool[]): Promise<OpenToolServer<HttpToolEndpoint>> {
  const opened = await toolServer({ name: "shop", tools: [greet, fail, ...tools] }).open("http");
  cleanups.push(() => opened.close());
  return opened;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends a request with exactly these headers, which `fetch` would not. */
function send(
  { url, headers: own }: HttpToolEndpoint,
  {
    method = "POST",
    path = "/mcp",
    headers = {},
    body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    token = true,
  }: {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: string;
    token?: boolean;
  } = {},
): Promise<Answered> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent: false,
        headers: { ...(token ? own : {}), "content-type": "application/json", ...headers },
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(method === "POST" ? body : undefined);
  });
}

describe("an HTTP server of tools", () => {
  it("listens on the loopback address, with a token of its own in a header", async () => {
    const [one, two] = [(await open()).endpoint, (await open()).endpoint];
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(one.headers["Authorization"]).toMatch(/^Bearer [\w-]{43}$/);
    expect(one.headers).not.toEqual(two.headers);
    expect(await send(one)).toMatchObject({
      status: 200,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }),
    });
  });

  it.each<[string, Parameters<typeof send>[1], number]>([
    ["no token", { token: false }, 401],
    ["a wrong token", { headers: { authorization: "Bearer x" } }, 401],
    ["another scheme", { headers: { authorization: "Basic x" } }, 401],
    ["another host, as after DNS rebinding", { headers: { host: "evil.example" } }, 403],
    ["the origin of a web page", { headers: { origin: "https://evil.example" } }, 403],
    ["no origin that is a host", { headers: { origin: "null" } }, 403],
    ["another path", { path: "/" }, 404],
    ["a GET for a stream of its own", { method: "GET" }, 405],
    ["an unknown session", { headers: { "mcp-session-id": "x" } }, 404],
    ["an unknown revision", { headers: { "mcp-protocol-version": "1999-01-01" } }, 400],
    ["a body that is not JSON", { body: "{" }, 400],
    ["a batch", { body: "[]" }, 400],
  ])("refuses %s", async (_name, request, status) => {
    const { endpoint } = await open();
    const answered = await send(endpoint, request);
    expect(answered.status).toBe(status);
    expect(answered.body).not.toContain(endpoint.headers["Authorization"]?.slice(7));
  });

  it.each(["/mcp?x=1", ...spellingsOf("/mcp")])("serves nothing at %s", async (target) => {
    const { endpoint } = await open();
    const port = Number(new URL(endpoint.url).port);
    for (const connection of Object.values(CONNECTION_HEADERS)) {
      for (const [status, lines] of [
        [401, []],
        [404, [`Authorization: ${endpoint.headers["Authorization"]}`]],
      ] as const) {
        const answer = await sendRaw(port, `POST ${target} HTTP/1.1`, [...lines, ...connection]);
        expect([400, status]).toContain(answer.status);
      }
    }
  });

  it("refuses requests that a page of another site sent, whatever origin they name", async () => {
    const { endpoint } = await open();
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await send(endpoint, { headers })).status).toBe(403);
    const origin = new URL(endpoint.url).origin;
    expect((await send(endpoint, { headers: { ...headers, origin } })).status).toBe(403);
    expect((await send(endpoint, { headers: { origin } })).status).toBe(200);
  });

  it("refuses a token in the address", async () => {
    const { endpoint } = await open();
    expect((await send(endpoint, { path: "/mcp?token=x" })).status).toBe(400);
    expect((await send(endpoint, { path: "/mcp?token=x", token: false })).status).toBe(401);
  });

  it("checks the host before the token, so that a web page learns nothing", async () => {
    const { endpoint } = await open();
    const answered = await send(endpoint, { token: false, headers: { host: "evil.example" } });
    expect(answered.status).toBe(403);
  });

  it("refuses a body of more than 8 MiB, and goes on", async () => {
    const { endpoint } = await open();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(9 * 1024 * 1024) });
    // The server may close the connection while the rest of the body is on its way.
    const status = await send(endpoint, { body }).then(
      (answered) => answered.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect((await send(endpoint)).status).toBe(200);
  });

  it("keeps a session by its id until it is deleted", async () => {
    const { endpoint } = await open();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
    const { headers } = await send(endpoint, { body });
    const session = { "mcp-session-id": String(headers["mcp-session-id"]) };
    expect((await send(endpoint, { headers: session })).status).toBe(200);
    expect((await send(endpoint, { method: "DELETE", headers: session })).status).toBe(200);
    expect((await send(endpoint, { headers: session })).status).toBe(404);
  });

  it("ends the oldest of more than 32 sessions", async () => {
    const { endpoint } = await open();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
    const ids: string[] = [];
    for (let n = 0; n < 33; n++) {
      ids.push(String((await send(endpoint, { body })).headers["mcp-session-id"]));
    }
    const statuses = ids.map(async (id) => {
      return (await send(endpoint, { headers: { "mcp-session-id": id } })).status;
    });
    expect(await Promise.all(statuses)).toEqual([404, ...Array.from({ length: 32 }, () => 200)]);
  });

  it("answers a notification with 202, and no request with an error of its own", async () => {
    const { endpoint } = await open();
    const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(await send(endpoint, { body })).toMatchObject({ status: 202, body: "" });
    const unknown = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/list" });
    expect(JSON.parse((await send(endpoint, { body: unknown })).body)).toMatchObject({
      error: { code: -32601 },
    });
  });

  it("answers with an error if the output of a tool is not JSON", async () => {
    const { endpoint } = await open(
      defineTool({
        name: "big",
        description: "Returns a value that is not JSON",
        input: { type: "object" },
        run: () => ({ content: [], structuredContent: { count: 1n } }),
      }),
    );
    const params = { name: "big" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    expect(JSON.parse((await send(endpoint, { body })).body)).toMatchObject({
      id: 1,
      error: { code: -32603 },
    });
  });

  it.each(["application/json", "application/json, text/event-stream"])(
    "aborts a call when the agent closes the connection, with Accept: %s",
    async (accept) => {
      const { tool, started, aborted } = waitingTool();
      const { endpoint } = await open(tool);
      const params = { name: "wait" };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const controller = new AbortController();
      const calling = fetch(endpoint.url, {
        method: "POST",
        body,
        signal: controller.signal,
        headers: { ...endpoint.headers, accept },
      }).then((response) => response.text());
      calling.catch(() => {});
      await started;
      controller.abort();
      expect((await aborted).message).toBe("the agent closed the connection");
    },
  );

  it("frees its port when it closes, and aborts its calls", async () => {
    const { tool, started, aborted } = waitingTool();
    const opened = await open(tool);
    const params = { name: "wait" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const calling = send(opened.endpoint, { body }).catch((error: unknown) => error);
    await started;
    await opened.close();
    await opened.close();
    await aborted;
    expect(await calling).toBeInstanceOf(Error);
    const port = Number(new URL(opened.endpoint.url).port);
    const failed = await new Promise((resolve) => {
      connectTcp(port, "127.0.0.1").on("error", resolve).on("connect", resolve);
    });
    expect(failed).toMatchObject({ code: "ECONNREFUSED" });
  });

  it("has its token removed from recordings", async () => {
    const { endpoint } = await open();
    const secret = String(endpoint.headers["Authorization"]).slice(7);
    const asInAcp = Object.entries(endpoint.headers).map(([name, value]) => ({ name, value }));
    for (const headers of [endpoint.headers, asInAcp]) {
      const recorded = JSON.stringify(redactValue({ mcpServers: [{ ...endpoint, headers }] }));
      expect(recorded).not.toContain(secret);
      expect(recorded).toContain(endpoint.url);
    }
  });
});

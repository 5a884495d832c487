import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { asObject, parseFrame, type JsonObject } from "../../../../wire/index.ts";

/** An MCP server over HTTP, on the loopback address, that records the requests. */
export interface HttpProbe {
  /** The server as in `mcpServers` of a session. */
  readonly config: JsonObject & { readonly name: string };
  /** The methods it was asked, and whether each request had the header of the config. */
  readonly asked: readonly { readonly method: string; readonly hasHeader: boolean }[];
  close(): Promise<void>;
}

const HEADER = "x-dragoman-probe";
const VALUE = "opensesame";

/** Starts a server of streamable HTTP, or of the older transport with server-sent events. */
export async function httpProbe(type: "http" | "sse", name: string): Promise<HttpProbe> {
  const asked: { method: string; hasHeader: boolean }[] = [];
  const streams: ServerResponse[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const hasHeader = request.headers[HEADER] === VALUE;
    if (request.method === "GET" && type === "sse") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: endpoint\ndata: /messages\n\n");
      streams.push(response);
      return;
    }
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = asObject(parseFrame(await readText(request)));
    const method = typeof message["method"] === "string" ? message["method"] : "";
    asked.push({ method, hasHeader });
    const reply = message["id"] === undefined ? undefined : replyTo(message, method);
    if (type === "http" && reply !== undefined) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(reply));
      return;
    }
    response.writeHead(202).end();
    if (reply !== undefined)
      streams.at(-1)?.write(`event: message\ndata: ${JSON.stringify(reply)}\n\n`);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const path = type === "sse" ? "sse" : "mcp";
  return {
    config: {
      type,
      name,
      url: `http://127.0.0.1:${port}/${path}`,
      headers: [{ name: HEADER, value: VALUE }],
    },
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function replyTo(message: JsonObject, method: string): JsonObject {
  const result = resultOf(method, asObject(message["params"]));
  const body = result ? { result } : { error: { code: -32601, message: "no such method" } };
  return { jsonrpc: "2.0", id: message["id"], ...body };
}

function resultOf(method: string, params: JsonObject): JsonObject | undefined {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params["protocolVersion"] ?? "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "probe", version: "1.0.0" },
      };
    case "tools/list":
      return {
        tools: [
          {
            name: "probe_word",
            description: "Returns the secret word of the probe.",
            inputSchema: { type: "object", properties: {} },
          },
        ],
      };
    case "tools/call":
      return { content: [{ type: "text", text: "the word is http" }] };
    case "ping":
      return {};
    default:
      return undefined;
  }
}

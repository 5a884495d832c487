// A small MCP server for tests: one tool that tells what the server was given. Usage:
//   node mcp-server.mjs stdio          over stdin and stdout
//   node mcp-server.mjs http|sse       over HTTP on loopback; prints its port
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const mode = process.argv[2] ?? "stdio";

/** What is answered to a message; undefined for notifications. */
function answer({ id, method, params }, seen) {
  if (id === undefined) return undefined;
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "tiny", version: "1" },
    }),
    "tools/list": () => ({
      tools: [
        {
          name: "ping",
          description: "Answers pong",
          inputSchema: { type: "object", properties: {} },
        },
      ],
    }),
    "tools/call": () => ({ content: [{ type: "text", text: `pong ${seen}` }] }),
  };
  const result = results[method]?.();
  if (result) return { jsonrpc: "2.0", id, result };
  return { jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } };
}

if (mode === "stdio") {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const reply = answer(JSON.parse(line), process.env.SECRET ?? "nothing");
    if (reply) process.stdout.write(`${JSON.stringify(reply)}\n`);
  });
} else {
  let stream;
  const serve = async (request, response) => {
    const seen = request.headers["x-secret"] ?? "nothing";
    if (mode === "sse" && request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: /messages\n\n`);
      stream = response;
      return;
    }
    if (request.method !== "POST") return response.writeHead(405).end();
    let body = "";
    for await (const chunk of request) body += chunk;
    const reply = answer(JSON.parse(body), seen);
    if (mode === "sse") {
      response.writeHead(202).end();
      if (reply) stream?.write(`event: message\ndata: ${JSON.stringify(reply)}\n\n`);
    } else if (reply) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(reply));
    } else {
      response.writeHead(202).end();
    }
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
}

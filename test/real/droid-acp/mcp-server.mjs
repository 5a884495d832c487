// A small MCP server for tests, with one tool that returns the secret that the server received. Usage:
//   node mcp-server.mjs stdio          over stdin and stdout
//   node mcp-server.mjs http|sse       over HTTP on loopback; prints its port
//   node mcp-server.mjs locked         over HTTP, with an OAuth login
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const mode = process.argv[2] ?? "stdio";

/** The response to a message, or undefined for a notification. */
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

const TOKEN = "let-me-in";

/** Handles the OAuth requests. Returns false for a request with a valid token. */
async function signIn(request, response) {
  const base = `http://${request.headers.host}`;
  const { pathname, searchParams } = new URL(request.url, base);
  const json = (status, value, headers = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
    return true;
  };
  if (pathname.startsWith("/.well-known/oauth-protected-resource"))
    return json(200, { resource: `${base}/mcp`, authorization_servers: [base] });
  if (pathname.startsWith("/.well-known/"))
    return json(200, {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
    });
  if (pathname === "/register") {
    let body = "";
    for await (const chunk of request) body += chunk;
    return json(201, { ...JSON.parse(body), client_id: "test" });
  }
  if (pathname === "/authorize") {
    const back = new URL(searchParams.get("redirect_uri"));
    back.searchParams.set("code", "42");
    back.searchParams.set("state", searchParams.get("state"));
    response.writeHead(302, { location: back.href }).end();
    return true;
  }
  if (pathname === "/token")
    return json(200, { access_token: TOKEN, token_type: "Bearer", expires_in: 3600 });
  if (request.headers.authorization === `Bearer ${TOKEN}`) return false;
  const metadata = `${base}/.well-known/oauth-protected-resource`;
  return json(
    401,
    { error: "unauthorized" },
    { "www-authenticate": `Bearer resource_metadata="${metadata}"` },
  );
}

if (mode === "stdio") {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const reply = answer(JSON.parse(line), process.env.SECRET ?? "nothing");
    if (reply) process.stdout.write(`${JSON.stringify(reply)}\n`);
  });
} else {
  let stream;
  const serve = async (request, response) => {
    if (mode === "locked" && (await signIn(request, response))) return;
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

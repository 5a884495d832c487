import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import {
  asObject,
  isJsonObject,
  parseJsonObject,
  type JsonObject,
  stringField,
} from "../../../../base/index.ts";

/** How a probe server behaves: answers, exits at once, or never answers. */
export type ProbeMode = "well" | "exits" | "hangs";

/** An MCP server that records who started it and what it was asked. */
export interface StdioProbe {
  /** The server as in `mcpServers` of a session. */
  readonly config: JsonObject & { readonly name: string };
  /** The word that its tool returns, which it knows only from the environment of its config. */
  readonly word: string;
  /** The record so far, oldest first. */
  events(): Promise<readonly JsonObject[]>;
}

/** Writes the program of a probe into a folder and returns its config. The agent starts it. */
export async function stdioProbe(
  folder: string,
  name: string,
  mode: ProbeMode = "well",
): Promise<StdioProbe> {
  const program = join(folder, "probe.mjs");
  const record = join(folder, `${name}.jsonl`);
  const word = `word-of-${name}`;
  await writeFile(program, PROBE_PROGRAM);
  return {
    config: {
      name,
      command: process.execPath,
      args: [program, record, mode, "first word", "second"],
      env: [{ name: "DRAGOMAN_PROBE", value: word }],
    },
    word,
    events: async () => parseRecord(await readFile(record, "utf8").catch(() => "")),
  };
}

/** The record of a probe: a JSON object per line. A line that is being written is left out. Pure. */
function parseRecord(text: string): readonly JsonObject[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))
    .filter(isJsonObject);
}

export function started(events: readonly JsonObject[]): JsonObject | undefined {
  return events.find(({ event }) => event === "started");
}

export function wasProbeListed(events: readonly JsonObject[]): boolean {
  return events.some(({ event, method }) => event === "asked" && method === "tools/list");
}

/** The results of a probe, by method. The one of `initialize` has the version that the agent asks for. */
const RESULTS: Readonly<Record<string, JsonObject>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "probe", version: "1.0.0" },
  },
  "tools/list": {
    tools: [
      {
        name: "probe_word",
        description: "Returns the secret word of the probe.",
        inputSchema: { type: "object", properties: {} },
      },
    ],
  },
  "tools/call": { content: [{ type: "text", text: "the word is http" }] },
  ping: {},
};

/**
 * The source of an MCP server on stdin and stdout that appends to a file who started it and what it was
 * asked, a JSON line each. Arguments: the file, and how it behaves.
 */
const PROBE_PROGRAM = String.raw`
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [file, mode = "well", ...words] = process.argv.slice(2);
const note = (entry) => appendFileSync(file, JSON.stringify(entry) + "\n");
note({ event: "started", pid: process.pid, args: words, probe: process.env.DRAGOMAN_PROBE ?? null, cwd: process.cwd() });
if (mode === "exits") process.exit(3);
const results = ${JSON.stringify(RESULTS)};
const answer = (method, params) => {
  if (method === "initialize") return { ...results.initialize, ...params?.protocolVersion && { protocolVersion: params.protocolVersion } };
  if (method !== "tools/call") return results[method];
  return { content: [{ type: "text", text: "the word is " + (process.env.DRAGOMAN_PROBE ?? "unknown") }] };
};
const input = createInterface({ input: process.stdin });
input.on("line", (line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  note({ event: "asked", method: message.method });
  if (message.id === undefined || mode === "hangs") return;
  const result = answer(message.method, message.params);
  const body = result ? { result } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body }) + "\n");
});
input.on("close", () => process.exit(0));
`;

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
    const message = asObject(parseJsonObject(await readText(request)));
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
  const version = stringField(asObject(message["params"]), "protocolVersion");
  const known = RESULTS[method];
  const result =
    method === "initialize" && version ? { ...known, protocolVersion: version } : known;
  const body = result ? { result } : { error: { code: -32601, message: "no such method" } };
  return { jsonrpc: "2.0", id: message["id"], ...body };
}

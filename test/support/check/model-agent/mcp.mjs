import { spawn } from "node:child_process";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { agent, defect, variant } from "./context.mjs";

const CONNECT_MS = 3000;

/** The connections to the MCP servers of a session. A server that does not answer is left out. */
export class McpServers {
  #servers = new Map();
  #ready;

  constructor(configs, cwd) {
    this.#ready = Promise.allSettled(configs.map((config) => this.#connect(config, cwd)));
  }

  get ready() {
    return this.#ready;
  }

  /** The tools of all servers, as the model gets them. */
  tools() {
    if (defect("mcp-hidden") || defect("mcp-unlisted") || variant("mcp-search")) return [];
    return this.#all();
  }

  /** The names of the tools of all servers. */
  names() {
    return this.#all().map(({ name }) => name);
  }

  #all() {
    return [...this.#servers].flatMap(([name, { tools }]) =>
      tools.map((tool) => ({
        name: `mcp__${name}__${tool.name}`,
        description: tool.description ?? "",
        parameters: tool.inputSchema,
      })),
    );
  }

  /** Calls a tool by the name that the model uses; undefined if there is none. */
  async call(name, args) {
    const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
    const found = defect("mcp-hidden") ? undefined : this.#servers.get(server);
    if (!found) return undefined;
    const { content } = await found.ask("tools/call", { name: tool, arguments: args });
    return content.map((part) => part.text ?? "").join("\n");
  }

  close() {
    for (const { end } of this.#servers.values()) end();
    this.#servers.clear();
  }

  async #connect(config, cwd) {
    const open = config.url === undefined ? stdioServer : config.type === "sse" ? sse : http;
    const server = await open(config, cwd);
    try {
      await limited(
        server.ask("initialize", {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "model-agent", version: "1" },
        }),
      );
      server.tell("notifications/initialized");
      const { tools } = await limited(server.ask("tools/list", {}));
      this.#servers.set(config.name, { ...server, tools });
    } catch (error) {
      server.end();
      throw error;
    }
  }
}

function limited(promise) {
  if (defect("mcp-waits") || defect("mcp-stalls-turns")) return promise;
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("the MCP server does not answer")), CONNECT_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Messages by id, over any transport. */
function exchange(send) {
  const open = new Map();
  let last = 0;
  return {
    receive(message) {
      const settle = open.get(message.id);
      open.delete(message.id);
      settle?.(message);
    },
    fail(error) {
      for (const settle of open.values()) settle({ error });
      open.clear();
    },
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        open.set(id, ({ result, error }) =>
          error ? reject(new Error(error.message)) : resolve(result),
        );
        send({ jsonrpc: "2.0", id, method, params });
      }),
    tell: (method) => send({ jsonrpc: "2.0", method }),
  };
}

async function stdioServer({ command, args, env }, cwd) {
  const extra = defect("mcp-no-env")
    ? {}
    : Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const child = spawn(command, args, {
    cwd,
    env: { ...agent().env, ...extra },
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  const link = exchange((message) => child.stdin.write(`${JSON.stringify(message)}\n`));
  child.stdin.on("error", () => {});
  child.once("error", (error) => link.fail(error));
  child.once("exit", () => link.fail(new Error("the MCP server has exited")));
  createInterface({ input: child.stdout }).on("line", (line) => link.receive(JSON.parse(line)));
  const end = () => {
    if (defect("orphans") || defect("close-leaks-servers")) return;
    child.stdin.end();
    child.kill("SIGKILL");
  };
  return { ...link, end };
}

function post(url, headers, message, onReply) {
  const sent = request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });
  sent.once("response", (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk) => (text += chunk));
    response.on("end", () => onReply(response, text));
  });
  sent.once("error", (error) => onReply(undefined, String(error)));
  sent.end(JSON.stringify(message));
}

const headersOf = ({ headers }) =>
  defect("mcp-no-headers")
    ? {}
    : Object.fromEntries(headers.map(({ name, value }) => [name, value]));

async function http(config) {
  const headers = headersOf(config);
  const link = exchange((message) =>
    post(config.url, headers, message, (response, text) => {
      if (message.id === undefined) return;
      if (response?.statusCode !== 200) return link.fail(new Error("the MCP server refused"));
      const session = response.headers["mcp-session-id"];
      if (session) headers["mcp-session-id"] = session;
      const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
      link.receive(JSON.parse(data));
    }),
  );
  return { ...link, end: () => {} };
}

async function sse(config) {
  const headers = headersOf(config);
  let endpoint;
  const link = exchange((message) => post(endpoint, headers, message, () => {}));
  const stream = await new Promise((resolve, reject) => {
    const sent = request(config.url, { headers: { accept: "text/event-stream", ...headers } });
    sent.once("error", reject);
    sent.once("response", (response) => {
      let rest = "";
      response.setEncoding("utf8");
      response.on("error", () => {});
      response.on("data", (chunk) => {
        const blocks = (rest + chunk).split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) {
          const [, event = "message"] = /^event: (.*)$/m.exec(block) ?? [];
          const [, data = ""] = /^data: (.*)$/m.exec(block) ?? [];
          if (event !== "endpoint") link.receive(JSON.parse(data));
          else {
            endpoint = new URL(data, config.url);
            resolve(sent);
          }
        }
      });
    });
    sent.end();
  });
  return { ...link, end: () => stream.destroy() };
}

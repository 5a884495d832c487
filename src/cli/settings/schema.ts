import type { ProtocolChoice } from "../../client/index.ts";
import { isJsonObject, type JsonObject } from "../../wire/index.ts";
import { nearest } from "../args/suggest.ts";
import { timeOf } from "../args/values.ts";
import { usageError } from "../exit.ts";
import { isAgentAddress, shownAddress } from "../agents/address.ts";
import { messageOf } from "../io.ts";

/** An agent, as described in settings. */
export interface AgentEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The version of the protocol to ask for; undefined if the file does not say. */
  readonly protocol?: ProtocolChoice | undefined;
  /** Set if the agent is on a server. Then `command` is only its address. */
  readonly remote?: RemoteEntry | undefined;
  /** How long the agent is kept warm, in milliseconds: 0 for not at all, undefined if the file does not say. */
  readonly warmMs?: number | undefined;
}

/** An agent on a server, as described in settings. */
export interface RemoteEntry {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The file with the token. */
  readonly tokenFile: string | undefined;
}

/** An MCP server, as described in settings: `env` and `headers` are still maps. */
export type McpEntry =
  | {
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "http" | "sse";
      readonly name: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

export interface Settings {
  /** In the order of the file. The first is the default. */
  readonly agents: ReadonlyMap<string, AgentEntry>;
  readonly mcpServers: readonly McpEntry[];
  /** The same for agents that do not say. */
  readonly warmMs?: number | undefined;
  /** Fields unknown to Dragoman: typing mistakes, or fields of an editor that shares the file. */
  readonly unknown: readonly UnknownField[];
}

export interface UnknownField {
  /** Its path, such as `agent_servers.mine.arg`. */
  readonly field: string;
  /** The field that was probably meant. */
  readonly near: string | undefined;
}

/**
 * Parses settings: strict JSON in which `agent_servers` is required. Throws a usage error with a
 * one-line message that names the file and the field.
 */
export function parseSettings(text: string, file: string): Settings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(
      `${file} is not valid JSON: ${withoutQuote(messageOf(error))}`,
      "no comments, no trailing commas",
    );
  }
  const at = new Field(file, "", []);
  const root = at.object(value);
  at.expect(root, ROOT_FIELDS);
  if (root["agent_servers"] === undefined) {
    throw usageError(
      `${file} has no "agent_servers"`,
      '{ "agent_servers": { "name": { "command": "..." } } }',
    );
  }
  const servers = at.in("agent_servers");
  const agents = new Map<string, AgentEntry>();
  for (const [name, entry] of Object.entries(servers.object(root["agent_servers"]))) {
    if (name.trim() === "") servers.fail("has an agent without a name");
    agents.set(name, agentEntry(entry, servers.in(name)));
  }
  const mcpServers = mcpEntries(root["mcp_servers"], at.in("mcp_servers"));
  const warmMs = warmTime(root["warm"], at.in("warm"));
  return { agents, mcpServers, warmMs, unknown: at.unknown };
}

/** The parser's message without the piece of the file that it quotes, which may be a secret. */
function withoutQuote(message: string): string {
  return message.replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, "");
}

const ROOT_FIELDS = ["agent_servers", "mcp_servers", "warm", "$schema"];
const COMMAND_FIELDS = ["command", "args", "env"];

function agentEntry(value: unknown, at: Field): AgentEntry {
  const entry = at.object(value);
  if (entry["url"] !== undefined) return remoteEntry(entry, at);
  at.expect(entry, [...COMMAND_FIELDS, "protocol", "warm", ...REMOTE_FIELDS]);
  return {
    command: at.in("command").text(entry["command"]),
    args: at.in("args").texts(entry["args"]),
    env: at.in("env").map(entry["env"]),
    protocol: protocolOf(entry["protocol"], at.in("protocol")),
    warmMs: warmTime(entry["warm"], at.in("warm")),
  };
}

function warmTime(value: unknown, at: Field): number | undefined {
  if (value === undefined) return undefined;
  if (value === false) return 0;
  const ms = typeof value === "string" ? timeOf(value) : undefined;
  return ms ?? at.fail('must be a duration such as "10m", or false');
}

function protocolOf(value: unknown, at: Field): ProtocolChoice | undefined {
  if (value === undefined || value === 1 || value === 2 || value === "newest") return value;
  return at.fail('must be 1, 2 or "newest"');
}

const REMOTE_FIELDS = ["url", "headers", "token_file"];

function remoteEntry(entry: JsonObject, at: Field): AgentEntry {
  at.expect(entry, [...REMOTE_FIELDS, "protocol"]);
  const url = at.in("url").text(entry["url"]);
  if (!isAgentAddress(url)) at.in("url").fail("must be a ws, wss, http or https address");
  const tokenFile = entry["token_file"];
  const remote = {
    url,
    headers: at.in("headers").map(entry["headers"]),
    tokenFile: tokenFile === undefined ? undefined : at.in("token_file").text(tokenFile),
  };
  const protocol = protocolOf(entry["protocol"], at.in("protocol"));
  return { command: shownAddress(url), args: [], env: {}, protocol, remote };
}

function mcpEntries(value: unknown, at: Field): readonly McpEntry[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return at.fail("must be an array");
  const items: readonly unknown[] = value;
  const names = new Set<string>();
  return items.map((item, index) => {
    const entry = mcpEntry(item, at.index(index));
    if (names.has(entry.name)) at.index(index).in("name").fail(`"${entry.name}" is used twice`);
    names.add(entry.name);
    return entry;
  });
}

function mcpEntry(value: unknown, at: Field): McpEntry {
  const entry = at.object(value);
  const name = at.in("name").text(entry["name"]);
  const type = entry["type"];
  if (type === undefined || type === "stdio") {
    at.expect(entry, ["name", "type", ...COMMAND_FIELDS]);
    return {
      name,
      command: at.in("command").text(entry["command"]),
      args: at.in("args").texts(entry["args"]),
      env: at.in("env").map(entry["env"]),
    };
  }
  if (type !== "http" && type !== "sse")
    return at.in("type").fail('must be "stdio", "http" or "sse"');
  const url = at.in("url").text(entry["url"]);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    at.in("url").fail("must be an http or https address");
  at.expect(entry, ["name", "type", "url", "headers"]);
  return { type, name, url, headers: at.in("headers").map(entry["headers"]) };
}

/** A field in a settings file, which names itself in errors. */
class Field {
  readonly #file: string;
  readonly #path: string;
  /** The unknown fields in the whole file. */
  readonly unknown: UnknownField[];

  constructor(file: string, path: string, unknown: UnknownField[]) {
    this.#file = file;
    this.#path = path;
    this.unknown = unknown;
  }

  /** Records the fields of an object that are not known. */
  expect(value: JsonObject, known: readonly string[]): void {
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue;
      this.unknown.push({ field: this.in(key).#path, near: nearest(key, known) });
    }
  }

  in(key: string): Field {
    const plain = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
    return this.#at(this.#path === "" ? plain : `${this.#path}.${plain}`);
  }

  index(index: number): Field {
    return this.#at(`${this.#path}[${index}]`);
  }

  #at(path: string): Field {
    return new Field(this.#file, path, this.unknown);
  }

  fail(problem: string): never {
    throw usageError(
      `${this.#file}: ${this.#path === "" ? "the top level" : this.#path} ${problem}`,
    );
  }

  object(value: unknown): JsonObject {
    return isJsonObject(value)
      ? value
      : this.fail(value === undefined ? "is missing" : "must be an object");
  }

  text(value: unknown): string {
    if (value === undefined) return this.fail("is missing");
    if (typeof value !== "string") return this.fail("must be a string");
    return value.trim() === "" ? this.fail("is empty") : value;
  }

  texts(value: unknown): readonly string[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return this.fail("must be an array of strings");
    const items: readonly unknown[] = value;
    return items.map((item, index) =>
      typeof item === "string" ? item : this.index(index).fail("must be a string"),
    );
  }

  map(value: unknown): Readonly<Record<string, string>> {
    if (value === undefined) return {};
    if (!isJsonObject(value)) return this.fail("must be an object of strings");
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        typeof item === "string" ? item : this.in(key).fail("must be a string"),
      ]),
    );
  }
}

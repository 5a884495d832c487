import type { ProtocolChoice } from "../../../client/index.ts";
import type { JsonObject } from "../../../base/index.ts";
import { Field, type UnknownField } from "./field.ts";
import { parseJson } from "./files.ts";
import { PREFERENCE_FIELDS, preferencesOf, type Preferences, warmTime } from "./keys.ts";
import { isLoopback } from "../../../transport/wire/index.ts";

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
  /** The keys of `_meta` that clients of `dragoman serve` may set; undefined if the file does not say. */
  readonly meta?: readonly string[] | undefined;
}

export interface RemoteEntry {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
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
  readonly preferences: Preferences;
  /** Fields unknown to Dragoman: typing mistakes, or fields of an editor that shares the file. */
  readonly unknown: readonly UnknownField[];
}

/**
 * Parses settings: JSON, in which comments and trailing commas are allowed. Throws a usage error with
 * a one-line message that names the file and the field, or the line and column of a syntax error.
 */
export async function parseSettings(text: string, file: string): Promise<Settings> {
  return settingsOf(await parseJson(text, file), file);
}

/** Checks parsed settings. Pure. Throws a usage error that names the file and the field. */
export function settingsOf(value: unknown, file: string): Settings {
  const at = new Field(file, "", []);
  const root = at.object(value);
  at.expect(root, ROOT_FIELDS);
  return {
    agents: agentEntries(root["agent_servers"], at.in("agent_servers")),
    mcpServers: mcpEntries(root["mcp_servers"], at.in("mcp_servers")),
    preferences: preferencesOf(root, at),
    unknown: at.unknown,
  };
}

function agentEntries(value: unknown, at: Field): ReadonlyMap<string, AgentEntry> {
  const agents = new Map<string, AgentEntry>();
  if (value === undefined) return agents;
  for (const [name, entry] of Object.entries(at.object(value))) {
    if (name.trim() === "") at.fail("has an agent without a name");
    agents.set(name, agentEntry(entry, at.in(name)));
  }
  return agents;
}

const ROOT_FIELDS = ["agent_servers", "mcp_servers", "$schema", ...PREFERENCE_FIELDS];
const COMMAND_FIELDS = ["command", "args", "env"];

function agentEntry(value: unknown, at: Field): AgentEntry {
  const entry = at.object(value);
  if (entry["url"] !== undefined) return remoteEntry(entry, at);
  at.expect(entry, [...COMMAND_FIELDS, "protocol", "warm", "allow_meta", ...REMOTE_FIELDS]);
  return {
    command: at.in("command").text(entry["command"]),
    args: at.in("args").texts(entry["args"]),
    env: at.in("env").map(entry["env"]),
    protocol: protocolOf(entry["protocol"], at.in("protocol")),
    warmMs: entry["warm"] === undefined ? undefined : warmTime(entry["warm"], at.in("warm")),
    meta: metaOf(entry["allow_meta"], at.in("allow_meta")),
  };
}

function protocolOf(value: unknown, at: Field): ProtocolChoice | undefined {
  if (value === undefined || value === 1 || value === 2 || value === "newest") return value;
  return at.fail('must be 1, 2 or "newest"');
}

function metaOf(value: unknown, at: Field): readonly string[] | undefined {
  return value === undefined ? undefined : at.texts(value);
}

const REMOTE_FIELDS = ["url", "headers", "token_file"];

function remoteEntry(entry: JsonObject, at: Field): AgentEntry {
  at.expect(entry, [...REMOTE_FIELDS, "protocol", "allow_meta"]);
  const url = at.in("url").text(entry["url"]);
  if (!isAgentAddress(url)) at.in("url").fail("must be a ws, wss, http or https address");
  const tokenFile = entry["token_file"];
  const remote = {
    url,
    headers: at.in("headers").map(entry["headers"]),
    tokenFile: tokenFile === undefined ? undefined : at.in("token_file").text(tokenFile),
  };
  const protocol = protocolOf(entry["protocol"], at.in("protocol"));
  const meta = metaOf(entry["allow_meta"], at.in("allow_meta"));
  return { command: shownAddress(url), args: [], env: {}, protocol, remote, meta };
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

/** Pure: whether a text is the address of an agent on a server. It must not contain a password. */
export function isAgentAddress(text: string): boolean {
  if (!/^(?:ws|http)s?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/** Pure: an address without its query, which may be secret. */
export function shownAddress(text: string): string {
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}

/** Pure: whether an address always means this machine, without resolving it. */
export function isOnThisMachine(text: string): boolean {
  const host = new URL(text).hostname.replace(/^\[|\]$/g, "");
  return host === "localhost" || isLoopback(host);
}

import type { ProtocolChoice } from "../../../client/index.ts";
import { Field, type UnknownField } from "./field.ts";
import { parseJson } from "./files.ts";
import { PREFERENCE_FIELDS, preferencesOf, type Preferences, warmTime } from "./keys.ts";
import { isAgentAddress, shownAgentAddress } from "./agent-address.ts";

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

/** Parses settings, which may have comments. Throws a usage error that names the field, or line and column. */
export async function parseSettings(text: string, file: string): Promise<Settings> {
  return settingsOf(await parseJson(text, file), file);
}

/** Checks parsed settings. Pure. Throws a usage error that names the file and the field. */
export function settingsOf(value: unknown, file: string): Settings {
  const at = new Field(file, value);
  at.expect(ROOT_FIELDS);
  const agents = at.in("agent_servers");
  if (agents.entries().some(([name]) => name.trim() === ""))
    agents.fail("has an agent without a name");
  return {
    agents: new Map(agents.entries().map(([name, field]) => [name, agentEntry(field)])),
    mcpServers: mcpEntries(at.in("mcp_servers")),
    preferences: preferencesOf(at),
    unknown: at.unknown,
  };
}

const ROOT_FIELDS = ["agent_servers", "mcp_servers", "$schema", ...PREFERENCE_FIELDS];
const COMMAND_FIELDS = ["command", "args", "env"];
const REMOTE_FIELDS = ["url", "headers", "token_file"];

function agentEntry(at: Field): AgentEntry {
  const known = [...REMOTE_FIELDS, "protocol", "allow_meta"];
  const isRemote = at.in("url").value !== undefined;
  at.expect(isRemote ? known : [...known, ...COMMAND_FIELDS, "warm"]);
  return {
    ...(isRemote ? remoteParts(at) : commandParts(at)),
    protocol: at.in("protocol").optional(protocolOf),
    warmMs: isRemote ? undefined : at.in("warm").optional(warmTime),
    meta: at.in("allow_meta").optional((field) => field.texts()),
  };
}

function commandParts(at: Field) {
  return {
    command: at.in("command").text(),
    args: at.in("args").texts(),
    env: at.in("env").map(),
  };
}

function remoteParts(at: Field) {
  const url = at.in("url").text();
  if (!isAgentAddress(url)) at.in("url").fail("must be a ws, wss, http or https address");
  const tokenFile = at.in("token_file").optional((field) => field.text());
  const remote = { url, headers: at.in("headers").map(), tokenFile };
  return { command: shownAgentAddress(url), args: [], env: {}, remote };
}

function protocolOf(at: Field): ProtocolChoice {
  const { value } = at;
  if (value === 1 || value === 2 || value === "newest") return value;
  return at.fail('must be 1, 2 or "newest"');
}

function mcpEntries(at: Field): readonly McpEntry[] {
  const names = new Set<string>();
  return at.items().map((item) => {
    const entry = mcpEntry(item);
    if (names.has(entry.name)) item.in("name").fail(`"${entry.name}" is used twice`);
    names.add(entry.name);
    return entry;
  });
}

function mcpEntry(at: Field): McpEntry {
  at.object();
  const name = at.in("name").text();
  const type = at.in("type").value;
  if (type === undefined || type === "stdio") {
    at.expect(["name", "type", ...COMMAND_FIELDS]);
    return { name, ...commandParts(at) };
  }
  if (type !== "http" && type !== "sse")
    return at.in("type").fail('must be "stdio", "http" or "sse"');
  const url = at.in("url").text();
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    at.in("url").fail("must be an http or https address");
  at.expect(["name", "type", "url", "headers"]);
  return { type, name, url, headers: at.in("headers").map() };
}

import { isAbsolute } from "node:path";
import {
  isJsonObject,
  objectsField,
  stringField,
  type JsonObject,
} from "../../../../../base/index.ts";
import type { AgentFrame } from "../../agent.ts";
import type { ClientCase, ClientCheck } from "../../case.ts";
import { paramsOf } from "../../observe.ts";

const STDIO = { name: "check-stdio", command: "true", args: ["--check", "a b"] } as const;
const VARIABLE = { name: "CHECK_SERVER", value: "its value" };
const REMOTE = [
  { type: "http", name: "check-http", url: "http://127.0.0.1:9/mcp" },
  { type: "sse", name: "check-sse", url: "http://127.0.0.1:9/sse" },
] as const;

const CONFIGURED = [{ ...STDIO, env: { [VARIABLE.name]: VARIABLE.value } }, ...REMOTE];

/**
 * The file that the entry `mcp` of a driver gives to the client. Most clients use the first of the two
 * forms. The second is that of settings with a list, such as our own.
 */
const SERVERS_FILE = "check-mcp.json";
const SERVERS = {
  mcpServers: Object.fromEntries(CONFIGURED.map(({ name, ...server }) => [name, server])),
  mcp_servers: CONFIGURED,
};

const EXPECTED =
  "an absolute cwd, and mcpServers in their form, of the transports that the agent has";

/** MCP servers reach the agent, in their form, and only if it can use them. */
export const servers: ClientCase = {
  ids: ["DRC-SES-01"],
  run: async (check) => {
    const id = "DRC-SES-01";
    const plain = await check.play({ capabilities: {} });
    const [opened] = plain.agent?.calls("session/new") ?? [];
    if (!opened) return check.untested(id, "the client opened no session");
    const wrong = sessionFault(opened, []);
    if (wrong !== undefined) return check.fail(id, EXPECTED, wrong, [opened]);
    const cwd = stringField(paramsOf(opened), "cwd") ?? "";
    if (!check.has("mcp"))
      return check.pass(id, `cwd is ${cwd}; the driver has no entry "mcp"`, [opened]);
    const seen = [opened];
    for (const transports of [[], ["http"], ["http", "sse"]] as const) {
      const frame = await openedWith(check, transports);
      // A client may refuse to go on without a server that its user wants.
      if (!frame && transports.length < 2) continue;
      const fault = frame ? configuredFault(frame, transports) : "it opened no session";
      if (fault !== undefined) {
        const offer = transports.length === 0 ? "only stdio" : `stdio, ${transports.join(", ")}`;
        return check.fail(id, EXPECTED, `to an agent with ${offer}: ${fault}`, [frame]);
      }
      if (frame) seen.push(frame);
    }
    check.pass(id, `cwd is ${cwd}, and ${seen.length - 1} sessions had the servers they can use`, [
      ...seen,
    ]);
  },
};

async function openedWith(
  check: ClientCheck,
  transports: readonly string[],
): Promise<AgentFrame | undefined> {
  const mcpCapabilities = Object.fromEntries(transports.map((name) => [name, true]));
  const { agent } = await check.play(
    { capabilities: transports.length === 0 ? {} : { mcpCapabilities } },
    { drive: ["mcp"], files: { [SERVERS_FILE]: JSON.stringify(SERVERS) } },
  );
  return agent?.calls("session/new")[0];
}

/** Why the params of `session/new` are wrong for an agent with these transports besides stdio. */
function sessionFault(frame: AgentFrame, transports: readonly string[]): string | undefined {
  const params = paramsOf(frame);
  const cwd = stringField(params, "cwd");
  if (cwd === undefined || !isAbsolute(cwd)) return `cwd is ${JSON.stringify(params["cwd"])}`;
  if (!Array.isArray(params["mcpServers"])) return "mcpServers is missing";
  const bad = objectsField(params, "mcpServers").find(
    (server) => !isStdio(server) && !isRemote(server, transports),
  );
  return bad && `a server is ${JSON.stringify(bad)}`;
}

/** Why the servers that the client was given did not reach the agent. */
function configuredFault(frame: AgentFrame, transports: readonly string[]): string | undefined {
  const fault = sessionFault(frame, transports);
  if (fault !== undefined) return fault;
  const sent = objectsField(paramsOf(frame), "mcpServers");
  const stdio = sent.find(({ name }) => name === STDIO.name);
  if (!stdio) return "the stdio server is missing";
  const env = objectsField(stdio, "env");
  const hasVariable = env.some(
    ({ name, value }) => name === VARIABLE.name && value === VARIABLE.value,
  );
  const hasArgs = JSON.stringify(stdio["args"]) === JSON.stringify(STDIO.args);
  if (!hasArgs || !hasVariable) return `the stdio server is ${JSON.stringify(stdio)}`;
  return undefined;
}

function isStdio(server: JsonObject): boolean {
  return !("type" in server) && Array.isArray(server["args"]) && Array.isArray(server["env"]);
}

function isRemote(server: JsonObject, transports: readonly string[]): boolean {
  const { type, url, headers } = server;
  return (
    typeof type === "string" &&
    transports.includes(type) &&
    typeof url === "string" &&
    Array.isArray(headers) &&
    headers.every((header) => isJsonObject(header))
  );
}

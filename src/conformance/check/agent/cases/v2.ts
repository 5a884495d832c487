import { validatorOf } from "../../../index.ts";
import { isJsonObject, isStringList, type JsonObject } from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import type { SubjectLink } from "../../harness/link.ts";
import { AUTH_REQUIRED, isError, resultOf, shown } from "../../harness/reply.ts";
import { type AgentCheck, CHECKER_INFO, type OpenAgent } from "../agent-check.ts";
import { type AgentCase, agentCase, traffic } from "../case.ts";
import { isInfo, judgeMethods, methodsIn } from "./initialize.ts";
import { judgeValues, objects, setOne } from "./settings.ts";

/** Opens an agent of version 2. Throws {@link Unmet} if it speaks another version. */
export async function open2(check: AgentCheck): Promise<OpenAgent> {
  const agent = await check.open({});
  if (agent.initialized["protocolVersion"] === 2) return agent;
  throw new Unmet("the agent does not speak version 2");
}

const versions = agentCase(
  "v2/initialize",
  ["ACP-INIT-201", "ACP-INIT-202", "ACP-INIT-203", "ACP-INIT-204", "ACP-EXT-202"],
  async (check) => {
    const link = await check.start();
    const reply = await check.initialize(link);
    const { protocolVersion: version, info, capabilities } = resultOf(reply);
    check.judge("ACP-INIT-201", version === 2 || version === 1, "asked for 2", reply);
    const older = await check.start();
    const params = { protocolVersion: 1, clientCapabilities: {}, clientInfo: CHECKER_INFO };
    const old = await older.request("initialize", params, { isInvalid: true });
    check.judge("ACP-INIT-202", old.kind === "result", "asked for 1", old);
    if (version !== 2) {
      const reason = "the agent does not speak version 2";
      for (const id of ["ACP-INIT-203", "ACP-INIT-204", "ACP-EXT-202"]) check.skip(id, reason);
      return;
    }
    check.judge("ACP-INIT-203", isInfo(info), `info ${shown(info)}`, reply.frames);
    const scalar = scalarIn(capabilities, "capabilities");
    check.judge("ACP-INIT-204", scalar === undefined, scalar ?? "objects only", reply.frames);
    const undeclared = validatorOf("v2 unstable")
      .faults("AgentCapabilities", capabilities ?? {})
      .find(({ kind }) => kind === "undeclared");
    const words = undeclared ? `the field ${undeclared.path}` : "declared fields only";
    check.judge("ACP-EXT-202", !undeclared, words, reply.frames);
  },
);

/** A capability that is neither an object nor null. */
function scalarIn(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) return `${path} is ${shown(value)}`;
  for (const [key, part] of Object.entries(value)) {
    const found = key === "_meta" ? undefined : scalarIn(part, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const authentication = agentCase(
  "v2/authentication",
  ["ACP-AUTH-201", "ACP-AUTH-202", "ACP-AUTH-205", "ACP-AUTH-206", "ACP-AUTH-207"],
  async (check) => {
    const link = await check.start();
    const reply = await check.initialize(link);
    const methods = judgeMethods(check, ["ACP-AUTH-201", "ACP-AUTH-202"], reply);
    const types = methods.map(({ type }) => type);
    check.judge("ACP-AUTH-206", types.every(isKnownType), `types ${shown(types)}`, reply.frames);
    const session = await link.request("session/new", { cwd: await check.workspace() });
    if (methods.length > 0) check.skip("ACP-AUTH-205", "the agent offers authentication methods");
    else check.judge("ACP-AUTH-205", !isError(session, AUTH_REQUIRED), session);
    const other = await check.start();
    const withTerminals = await check.initialize(other, { auth: { terminal: {} } });
    const terminal = methodsIn(withTerminals).filter(({ type }) => type === "terminal");
    if (terminal.length === 0) check.skip("ACP-AUTH-207", "the agent offers no terminal method");
    for (const { args = null, env = null } of terminal) {
      const names = objects(env).map(({ name }) => name);
      const isList = env === null || (Array.isArray(env) && new Set(names).size === env.length);
      const isKept = (args === null || isStringList(args)) && isList;
      check.judge("ACP-AUTH-207", isKept, shown({ args, env }), withTerminals.frames);
    }
  },
);

function isKnownType(type: unknown): boolean {
  return (
    type === "agent" || type === "terminal" || (typeof type === "string" && type.startsWith("_"))
  );
}

const login = agentCase("v2/login", ["ACP-AUTH-203", "ACP-AUTH-204"], async (check) => {
  const methodId = check.needAuthMethod();
  const link = await check.start();
  await check.initialize(link);
  const reply = await link.request("auth/login", { methodId });
  const session = await link.request("session/new", { cwd: await check.workspace() });
  const isKept = reply.kind === "result" && !isError(session, AUTH_REQUIRED);
  check.judge("ACP-AUTH-204", isKept, "auth/login, and session/new", reply, session);
  if (!check.run.optIn.has("logout")) return;
  const logout = await link.request("auth/logout", {});
  check.judge("ACP-AUTH-203", logout.kind === "result", logout);
});

/** Judges the form of options: an id, a name, and values that fit the type. */
export function judgeOptions(
  check: AgentCheck,
  id: string,
  options: readonly unknown[],
  frame: Parameters<AgentCheck["judge"]>[2],
): void {
  for (const entry of options) {
    const option = isJsonObject(entry) ? entry : {};
    const { configId, name, type, currentValue } = option;
    const isNamed = typeof configId === "string" && configId !== "" && typeof name === "string";
    const isFitting =
      type === "select"
        ? typeof currentValue === "string" && Array.isArray(option["options"])
        : type !== "boolean" || typeof currentValue === "boolean";
    check.judge(id, isNamed && isFitting, `the option ${shown(option)}`, frame);
  }
}

const options = agentCase(
  "v2/options",
  ["ACP-CONFIG-201", "ACP-CONFIG-202", "ACP-CONFIG-204", "ACP-CONFIG-205"],
  async (check) => {
    const { link } = await open2(check);
    const session = await check.newSession(link);
    const all = objects(session["configOptions"]);
    judgeOptions(check, "ACP-CONFIG-201", all, link.frames.at(-1));
    judgeValues(check, "ACP-CONFIG-204", link, all);
    const sessionId = String(session["sessionId"]);
    const change = await setOne(check, "ACP-CONFIG-202", link, sessionId, all, { type: "id" });
    if (change?.reply.kind === "result") {
      const words = `${shown(change.id)} is ${shown(change.now)}, set to ${shown(change.value)}`;
      const isSet = change.now === change.value;
      check.judge("ACP-CONFIG-205", isSet, words, change.reply.frames);
    }
    await link.barrier();
  },
);

const SERVERS: readonly (readonly [id: string, server: JsonObject])[] = [
  ["ACP-MCP-201", { type: "stdio", name: "probe", command: "/bin/false", args: [], env: [] }],
  ["ACP-MCP-202", { type: "http", name: "probe", url: "http://127.0.0.1:9/mcp", headers: [] }],
];

const servers = agentCase(
  "v2/mcp",
  SERVERS.map(([id]) => id),
  async (check) => {
    for (const [id, server] of SERVERS) {
      const { link } = await open2(check);
      const params = { cwd: await check.workspace(), mcpServers: [server] };
      check.pass(id, await link.request("session/new", params));
    }
  },
);

const REQUEST = { jsonrpc: "2.0", method: "_dragoman/batch", params: {} };

/** Arrays, each with the requirement that records the reply. The sources do not agree about them. */
const BATCHES: readonly { readonly ids: readonly string[]; readonly batch: readonly unknown[] }[] =
  [
    { ids: ["ACP-BATCH-201"], batch: [] },
    { ids: ["ACP-BATCH-202"], batch: [REQUEST, REQUEST] },
    { ids: ["ACP-BATCH-203"], batch: [7, REQUEST] },
    {
      ids: ["ACP-BATCH-204", "ACP-BATCH-205"],
      batch: [REQUEST, { jsonrpc: "2.0", method: "_dragoman/other", params: {} }],
    },
  ];

/** The lines that came after a position, except the answer to the barrier. */
async function repliesAfter(link: SubjectLink, after: number): Promise<string> {
  const isAlive = await link.barrier();
  const lines = link.received(after).filter(({ message }) => {
    const isAnswer = message.kind === "result" || message.kind === "error";
    return message.kind === "none" || (isAnswer && message.id === null);
  });
  const words = lines.length === 0 ? "no reply" : lines.map(({ value }) => shown(value)).join(", ");
  return isAlive ? words : `${words}; the agent ${link.end?.how ?? "answers nothing anymore"}`;
}

const batches = agentCase(
  "v2/batches",
  BATCHES.flatMap(({ ids }) => ids),
  async (check) => {
    for (const { ids, batch } of BATCHES) {
      const { link } = await open2(check);
      const { after, frames } = await link.sendRaw(`${JSON.stringify(batch)}\n`);
      const words = await repliesAfter(link, after);
      for (const id of ids) check.pass(id, words, frames);
    }
  },
);

const extensions = agentCase("v2/extensions", ["ACP-EXT-201", "ACP-EXT-203"], async (check) => {
  const { link } = await open2(check);
  const frame = link.notify("_dragoman/notice", {}, true);
  const words = await repliesAfter(link, frame.n);
  check.judge("ACP-EXT-201", words === "no reply", words, frame);
  if (link.end) return;
  const other = link.notify("$/dragoman", {}, true);
  check.pass("ACP-EXT-203", await repliesAfter(link, other.n), other);
});

export const v2Cases: readonly AgentCase[] = [
  versions,
  authentication,
  login,
  traffic(options),
  servers,
  batches,
  extensions,
];

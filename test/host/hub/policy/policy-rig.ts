// A session of a hub with a policy: the agent and the client are raw ends, and the audit log is a list.
import { tmpdir } from "node:os";
import { type AuditEntry, hubPolicy, type HubOptions } from "../../../../src/host/hub/index.ts";
import { readRules } from "../../../../src/client/rules/index.ts";
import type { JsonObject } from "../../../../src/base/index.ts";
import { at, connect, INITIALIZE, RawAgent, type RawEnd, scratchFolder, testHub } from "../rig.ts";

export interface PolicyRig {
  readonly cwd: string;
  readonly agent: RawAgent;
  readonly run: RawEnd;
  readonly client: ReturnType<typeof connect>;
  readonly sessionId: string;
  readonly hub: ReturnType<typeof testHub>;
  /** The decisions so far, without agent, owner and session. */
  readonly decisions: () => readonly object[];
  /** The agent sends a request of the session. Resolves with the response. */
  readonly request: (method: string, params: object) => Promise<JsonObject>;
  /** The agent sends an update of the session. */
  readonly update: (update: object) => void;
  /** Resolves with the next request that the client gets. */
  readonly asked: (method: string) => Promise<JsonObject>;
  /** The client answers a request. */
  readonly answer: (asked: JsonObject, result: object) => void;
}

/** Opens a session in a new folder under these rules. */
export async function policyRig(
  options: {
    readonly rules?: readonly object[];
    readonly files?: "client" | "server";
    readonly cwd?: string;
    readonly agent?: RawAgent;
    readonly hub?: HubOptions;
    readonly protocolVersion?: number;
  } = {},
): Promise<PolicyRig> {
  const { rules, files = "client", agent = new RawAgent() } = options;
  const cwd = options.cwd ?? (await scratchFolder());
  const entries: AuditEntry[] = [];
  const policy = hubPolicy({
    files,
    rules: rules && readRules(JSON.stringify({ version: 1, rules }), "rules.json", USER),
    audit: { record: async (entry) => void entries.push(entry) },
  });
  const hub = testHub({ ...policy, ...options.hub });
  const client = connect(hub, agent);
  await client.request("initialize", {
    ...INITIALIZE,
    protocolVersion: options.protocolVersion ?? 1,
  });
  const opened = await client.request("session/new", { cwd, mcpServers: [] });
  const sessionId = String(at(opened, "result", "sessionId"));
  let lastId = 100;
  let read = 0;
  return {
    cwd,
    agent,
    run: agent.run,
    client,
    sessionId,
    hub,
    decisions: () => entries.map((entry) => shown(entry, cwd)),
    request: (method, params) =>
      agent.run.request(method, { sessionId, ...params }, `agent-${++lastId}`),
    update: (update) => agent.run.notify("session/update", { sessionId, update }),
    asked: async (method) => {
      const found = await client.until((frame) => frame["method"] === method, read);
      const { id } = found;
      read =
        client.frames.findIndex((frame) => frame["method"] === method && frame["id"] === id) + 1;
      return found;
    },
    answer: ({ id }, result) => client.send({ jsonrpc: "2.0", id, result }),
  };
}

const USER = { home: tmpdir(), platform: process.platform };

/** Short targets, with `$` in place of the session's folder. */
function shown({ method, kind, targets, decision, by }: AuditEntry, cwd: string): object {
  const paths = targets.paths.map(({ path }) => path.replace(cwd, "$"));
  const commands = targets.commands.map(({ line, words }) => words ?? line);
  return { method, kind, targets: [...paths, ...commands], decision, by };
}

export const OPTIONS = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

/** The params of a permission request. */
export function permission(toolCall: object, options: readonly object[] = OPTIONS): object {
  return { toolCall: { toolCallId: "t1", ...toolCall }, options };
}

/** The result of a permission request that selects an option. */
export function selected(optionId: string): object {
  return { outcome: { outcome: "selected", optionId } };
}

export const CANCELLED = { outcome: { outcome: "cancelled" } };

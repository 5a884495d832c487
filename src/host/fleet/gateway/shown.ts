import type { SessionRole } from "../../../transport/remote/index.ts";
import type { HubSessionInfo } from "../../hub/index.ts";
import { isJobSession } from "../jobs/job.ts";
import type { FleetSession } from "../session/record.ts";
import { asObject, type JsonObject, objectField } from "../../../base/index.ts";
import type { FleetEngine } from "../engine.ts";
import { FleetError } from "../errors.ts";
import { listHosts } from "../hosts.ts";
import { readAnswer, writeRequest } from "../worker/protocol.ts";
import { RpcError, RpcCode, toErrorObject } from "../../../transport/rpc/index.ts";

/** Pure: a folder as clients see it: a path that starts with the name of a root. */
export function shownFolder(cwd: string): string {
  return cwd.startsWith("/") ? cwd : `/${cwd}`;
}

/** Pure: a session as clients see it. `role` is that of the client itself; undefined if it is not attached. */
export function sessionInfo(session: FleetSession, role: SessionRole | undefined): HubSessionInfo {
  const { id, agent, tenant, isBusy, usedAt } = session;
  const cwd = isJobSession(session) ? "/" : shownFolder(session.cwd);
  const additionalDirectories = session.additionalDirectories.map(shownFolder);
  const facts = { sessionId: id, agent, owner: tenant, cwd, additionalDirectories, isBusy, usedAt };
  return followedInfo(facts, role);
}

/** Pure: the same, from the facts that a gateway has. Only the client itself is counted. */
export function followedInfo(
  facts: Pick<HubSessionInfo, "sessionId" | "agent" | "owner" | "cwd"> & Partial<HubSessionInfo>,
  role: SessionRole | undefined,
): HubSessionInfo {
  return {
    additionalDirectories: [],
    isBusy: false,
    usedAt: 0,
    title: undefined,
    queued: 0,
    controllers: role === "controller" ? 1 : 0,
    observers: role === "observer" ? 1 : 0,
    ...facts,
  };
}

/** Describing an agent starts it. */
const DESCRIBE_MS = 60_000;
/** How long a description is used: an agent may be updated. */
const KEPT_MS = 5 * 60_000;

/** The agents of a pool, as their workers describe them. */
export class PoolAgents {
  readonly #engine: FleetEngine;
  readonly #pool: string;
  readonly #known = new Map<
    string,
    { readonly at: number; readonly result: Promise<JsonObject> }
  >();

  constructor(engine: FleetEngine, pool: string) {
    this.#engine = engine;
    this.#pool = pool;
  }

  /** An agent's answer to `initialize`. Rejects with FleetError `try_later` if no worker has the agent. */
  describe(agent: string): Promise<JsonObject> {
    const now = performance.now();
    const known = this.#known.get(agent);
    if (known && now - known.at < KEPT_MS) return known.result;
    const result = this.#ask(agent);
    this.#known.set(agent, { at: now, result });
    result.catch(() => this.#known.delete(agent));
    return result;
  }

  async #ask(agent: string): Promise<JsonObject> {
    const { hosts, calls } = this.#engine;
    const able = (await listHosts(hosts)).filter(
      ({ pool, agents, isDraining }) =>
        pool === this.#pool && agents.includes(agent) && !isDraining,
    );
    const text = writeRequest({ type: "describe", agent });
    let last: unknown = new FleetError(
      "try_later",
      `no worker of the pool ${this.#pool} has the agent ${agent} now: try again later`,
    );
    for (const { host } of able) {
      try {
        return readAnswer(await calls.call(host, text, { timeoutMs: DESCRIBE_MS }));
      } catch (error) {
        // The worker may have just ended. Another one has the agent as well.
        last = error;
      }
    }
    throw last;
  }
}

/** Pure: the answer to `initialize`. Gateways manage sessions, and workers sign in to agents. */
export function agentDescription(described: JsonObject): JsonObject {
  const all = asObject(described["agentCapabilities"]);
  const { auth: _auth, ...capabilities } = all;
  const session = objectField(capabilities, "sessionCapabilities") ?? {};
  const own = { list: {}, resume: {}, close: {}, delete: {} };
  const kept = session["additionalDirectories"];
  return {
    ...described,
    protocolVersion: 1,
    agentCapabilities: {
      ...capabilities,
      loadSession: true,
      mcpCapabilities: mcpCapabilitiesOf(all),
      sessionCapabilities: kept === undefined ? own : { ...own, additionalDirectories: kept },
    },
    authMethods: [],
    _meta: asObject(described["_meta"]),
  };
}

/** Pure: the capabilities of an agent for MCP, without the servers that run in clients. */
function mcpCapabilitiesOf(capabilities: JsonObject): JsonObject {
  const { acp: _inClient, ...others } = objectField(capabilities, "mcpCapabilities") ?? {};
  return others;
}

/** The error codes with which a gateway answers, besides those of a hub. */
export const GATEWAY_CODES = {
  /** A limit of the fleet is reached. The same request may succeed later. */
  tryLater: -32007,
} as const;

export function clientError(error: unknown): unknown {
  if (error instanceof RpcError) return error;
  if (!(error instanceof FleetError)) {
    const { code, message, data } = toErrorObject(error, false);
    return new RpcError(code, message, data);
  }
  const { code, message } = error;
  const data = { reason: code };
  switch (code) {
    case "try_later":
      return new RpcError(GATEWAY_CODES.tryLater, message, data);
    case "invalid_argument":
    case "not_found":
    case "session_not_found":
      return new RpcError(RpcCode.invalidParams, message, data);
    default:
      return new RpcError(RpcCode.internalError, message, data);
  }
}

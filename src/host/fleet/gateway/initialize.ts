import { asObject, type JsonObject, objectField } from "../../../base/index.ts";
import type { FleetEngine } from "../engine.ts";
import { FleetError } from "../errors.ts";
import { listHosts } from "../hosts.ts";
import { readAnswer, writeRequest } from "../worker/protocol.ts";
import { mcpCapabilitiesOf } from "./mcp-servers.ts";

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

/**
 * Pure: the answer to `initialize` for a client of an agent. The gateway loads, resumes, lists and closes
 * sessions itself, and workers sign in to their agents.
 */
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

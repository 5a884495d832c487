import type { Hub, HubAgent } from "../../hub/index.ts";
import { Peer } from "../../../transport/rpc/index.ts";
import { asObject, type JsonObject } from "../../../base/index.ts";
import { memoryPair } from "../../../transport/wire/index.ts";
import { FleetError } from "../errors.ts";

/** The parameters with which workers initialise agents. */
export const INITIALIZE = { protocolVersion: 1, clientCapabilities: {} };

/** The answers of a worker's agents to `initialize`, for clients that have no session yet. */
export class AgentDescriptions {
  readonly #hub: Hub;
  readonly #agents: readonly HubAgent[];
  readonly #known = new Map<string, Promise<JsonObject>>();

  constructor(hub: Hub, agents: readonly HubAgent[]) {
    this.#hub = hub;
    this.#agents = agents;
  }

  /** Starts the agent for it, once. Rejects with FleetError `invalid` or the error of the agent. */
  of(name: string): Promise<JsonObject> {
    const known = this.#known.get(name) ?? this.#ask(name);
    this.#known.set(name, known);
    // An agent that could not start may be able to later.
    known.catch(() => this.#known.delete(name));
    return known;
  }

  async #ask(name: string): Promise<JsonObject> {
    const agent = this.#agents.find((known) => known.name === name);
    if (!agent) throw new FleetError("invalid", `the worker has no agent ${name}`);
    const [near, far] = memoryPair();
    const key = JSON.stringify([agent.key, "describe"]);
    const own: HubAgent = { name, key, open: () => agent.open() };
    const client = this.#hub.serve(far, { agent: own, owner: "" });
    const peer = new Peer(near);
    try {
      return asObject(await peer.call("initialize", INITIALIZE));
    } finally {
      await peer.close();
      await client.close();
    }
  }
}

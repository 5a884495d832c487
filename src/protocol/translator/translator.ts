import { clientHas } from "../acp/index.ts";
import { isJsonObject, type JsonObject } from "../../base/index.ts";
import { V2AgentForV1Client } from "./agent/for-v1-client.ts";
import type { ReceiverOptions } from "./agent/session.ts";
import { V1AgentForV2Client } from "./client/for-v1-agent.ts";
import { listOf, type Replies, type Translated } from "./frames.ts";
import {
  asksForV2,
  initializeParamsToV1,
  initializeParamsToV2,
  initializeResultToV1,
  initializeResultToV2,
  isV2InitializeResult,
} from "./initialize.ts";
import type { V2LossId } from "./losses.ts";

/** The versions of the protocol. */
export type ProtocolVersion = 1 | 2;

/** The version that each side of a translation speaks. */
export interface TranslatorOptions {
  /** The version of the client. */
  readonly client: ProtocolVersion;
  /** The version of the agent. */
  readonly agent: ProtocolVersion;
}

/** The frames that one frame becomes. Some frames are answered on the way and go back. */
export interface TranslatedFrames {
  /** The frames to send to the agent, in order. */
  readonly toAgent: readonly JsonObject[];
  /** The frames to send to the client, in order. */
  readonly toClient: readonly JsonObject[];
}

/** Translates the frames of one connection between the two versions of the protocol. */
export interface VersionTranslator {
  /** Translates a frame that the client sent. Never throws. */
  fromClient(frame: JsonObject): TranslatedFrames;
  /** Translates a frame that the agent sent. Never throws. */
  fromAgent(frame: JsonObject): TranslatedFrames;
  /** How often something was lost, by the ids of `V2_LOSSES`. */
  readonly losses: ReadonlyMap<V2LossId, number>;
}

/**
 * Creates a translator between a client and an agent, for proxies and recordings. Create one for each
 * connection and give it every frame in order: it starts with `initialize` and keeps the state of the
 * sessions. If both sides turn out to speak the same version, frames pass unchanged.
 */
export function translator({ client, agent }: TranslatorOptions): VersionTranslator {
  let toAgent: JsonObject[] = [];
  let toClient: JsonObject[] = [];
  const replies: Replies = {
    toAgent: (frame) => void toAgent.push(frame),
    toClient: (frame) => void toClient.push(frame),
  };
  const negotiation =
    client === agent
      ? undefined
      : new Negotiation(client === 1 ? "v2 agent" : "v2 client", replies);
  const take = (): TranslatedFrames => {
    const taken = { toAgent, toClient };
    toAgent = [];
    toClient = [];
    return taken;
  };
  return {
    fromClient(frame) {
      const translated = negotiation ? negotiation.fromClient(frame) : frame;
      toAgent.push(...listOf(translated));
      return take();
    },
    fromAgent(frame) {
      const translated = negotiation ? negotiation.fromAgent(frame) : frame;
      toClient.push(...listOf(translated));
      return take();
    },
    get losses() {
      return negotiation?.losses ?? NO_LOSSES;
    },
  };
}

const NO_LOSSES: ReadonlyMap<V2LossId, number> = /* @__PURE__ */ new Map();

class Negotiation {
  readonly #replies: Replies;
  readonly #other: "v2 agent" | "v2 client";
  #initialize: JsonObject | undefined;
  #side: V2AgentForV1Client | V1AgentForV2Client | undefined;

  constructor(other: "v2 agent" | "v2 client", replies: Replies) {
    this.#other = other;
    this.#replies = replies;
  }

  get losses(): ReadonlyMap<V2LossId, number> {
    return this.#side?.losses.counts ?? NO_LOSSES;
  }

  fromClient(frame: JsonObject): Translated {
    if (this.#side) return this.#side.fromClient(frame);
    const params = frame["params"];
    if (frame["method"] !== "initialize" || !isJsonObject(params)) return frame;
    if (this.#other === "v2 agent") {
      this.#initialize = frame;
      return { ...frame, params: initializeParamsToV2(params) };
    }
    if (!asksForV2(params)) return frame;
    this.#initialize = frame;
    return { ...frame, params: initializeParamsToV1(params) };
  }

  fromAgent(frame: JsonObject): Translated {
    if (this.#side) return this.#side.fromAgent(frame);
    const request = this.#initialize;
    const result = frame["result"];
    if (!request || frame["method"] !== undefined || frame["id"] !== request["id"]) return frame;
    if (!isJsonObject(result)) return frame;
    if (this.#other === "v2 client") {
      this.#side = new V1AgentForV2Client(result, false, this.#replies);
      return { ...frame, result: initializeResultToV2(result) };
    }
    // The agent turned out to speak v1 as well.
    if (!isV2InitializeResult(result)) return frame;
    const receiver = plainReceiver(request["params"]);
    this.#side = new V2AgentForV1Client(result, receiver, this.#replies);
    return { ...frame, result: { ...initializeResultToV1(result), protocolVersion: 1 } };
  }
}

const CAPABILITIES = {
  notices: "session.notices",
  compaction: "session.compaction",
  booleans: "session.configOptions.boolean",
  subagents: "subagents",
} as const;

function plainReceiver(params: unknown): ReceiverOptions {
  const capabilities = isJsonObject(params) ? params["clientCapabilities"] : undefined;
  return {
    details: false,
    takes: (kind) => clientHas(capabilities, CAPABILITIES[kind]),
  };
}

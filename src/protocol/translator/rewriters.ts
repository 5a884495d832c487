import { ERROR_CODES } from "../acp/index.ts";
import type { Rewriter, RewriterEnds } from "../../transport/rpc/index.ts";
import { isJsonObject, type JsonObject } from "../../base/index.ts";
import { V2AgentForV1Client } from "./agent/for-v1-client.ts";
import { V1AgentForV2Client } from "./client/for-v1-agent.ts";
import { errorFrame, type Replies } from "./frames.ts";
import { asksForV2, initializeParamsToV1, initializeResultToV2 } from "./initialize.ts";

/**
 * A rewriter for a client that is connected to a v2 agent. Use it from the answer to `initialize` on. The
 * client's handlers get the messages of v1, and the updates and fields that only v2 has.
 */
export function v2AgentRewriter(initializeResult: JsonObject): Rewriter {
  const { replies, connect } = repliesFor("client");
  const receiver = { details: true, takes: () => true };
  const side = new V2AgentForV1Client(initializeResult, receiver, replies);
  return {
    connect,
    read: (message) => side.fromAgent(message),
    write: (message) => side.fromClient(message),
  };
}

/** A rewriter for an agent whose client may ask for either version. */
export interface NegotiatingRewriter extends Rewriter {
  /** The version that the client asked for. */
  readonly version: 1 | 2;
}

/** Creates a rewriter for an agent. It passes everything to `v1` until a client asks for v2. */
export function negotiatingRewriter(v1: Rewriter): NegotiatingRewriter {
  const { replies, connect } = repliesFor("agent");
  let initializeId: unknown;
  let isV2 = false;
  let side: V1AgentForV2Client | undefined;
  return {
    get version() {
      return isV2 ? 2 : 1;
    },
    connect(ends) {
      connect(ends);
      v1.connect?.(ends);
    },
    read(message) {
      const { method, id, params } = message;
      if (method !== "initialize") return side ? side.fromClient(message) : v1.read(message);
      if (!asksForV2(params)) {
        if (!side) return v1.read(message);
        replies.toClient(invalidInitialize(id, "The connection uses version 2 already"));
        return undefined;
      }
      if (id === null) {
        replies.toClient(invalidInitialize(id, "The id of a request must not be null"));
        return undefined;
      }
      isV2 = true;
      initializeId = id;
      return { ...message, params: initializeParamsToV1(params) };
    },
    write(message) {
      const { result, id, method } = message;
      const isAnswer = isV2 && method === undefined && id !== undefined && id === initializeId;
      if (!isAnswer) return side ? side.fromAgent(message) : v1.write(message);
      initializeId = undefined;
      if (!isJsonObject(result)) {
        isV2 = side !== undefined;
        return message;
      }
      side = new V1AgentForV2Client(result, true, replies);
      return { ...message, result: initializeResultToV2(result) };
    },
  };
}

function invalidInitialize(id: unknown, message: string): JsonObject {
  return errorFrame(id, ERROR_CODES.invalidRequest, message);
}

/** Replies that go to the ends of a peer, once the rewriter is connected to it. */
function repliesFor(handlers: "client" | "agent"): {
  readonly replies: Replies;
  readonly connect: (ends: RewriterEnds) => void;
} {
  let ends: RewriterEnds | undefined;
  const inward = (frame: JsonObject): void => ends?.toHandlers(frame);
  const outward = (frame: JsonObject): void => ends?.toWire(frame);
  return {
    replies:
      handlers === "client"
        ? { toClient: inward, toAgent: outward }
        : { toClient: outward, toAgent: inward },
    connect: (given) => {
      ends = given;
    },
  };
}

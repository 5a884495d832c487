import { expect, onTestFinished } from "vitest";
import {
  type TranslatedFrames,
  translator,
  type V2LossId,
} from "../../../src/protocol/translator/index.ts";
import { isJsonObject, type JsonObject } from "../../../src/base/index.ts";
import { FrameChecker } from "../../support/schema.ts";

const AGENT_OF_V2 = {
  session: { prompt: {}, mcp: { stdio: {}, http: {} }, delete: {} },
};

/** A translator between two sides that have initialised. Checks everything that it writes. */
export class Sides {
  readonly #translator: ReturnType<typeof translator>;
  readonly #toClient: FrameChecker;
  readonly #toAgent: FrameChecker;
  #ids = 0;

  constructor(client: 1 | 2, agent: 1 | 2, clientCapabilities: JsonObject, result: JsonObject) {
    this.#translator = translator({ client, agent });
    this.#toClient = new FrameChecker("agent", client === 1 ? "stable" : "v2");
    this.#toAgent = new FrameChecker("client", agent === 1 ? "stable" : "v2");
    const info = { name: "test", version: "1" };
    const params =
      client === 1
        ? { protocolVersion: 1, clientInfo: info, clientCapabilities }
        : { protocolVersion: 2, info, capabilities: clientCapabilities };
    this.fromClient({ jsonrpc: "2.0", id: "init", method: "initialize", params });
    this.fromAgent({ jsonrpc: "2.0", id: "init", result });
  }

  /** The faults in everything that was written. */
  get faults(): readonly string[] {
    return [...this.#toClient.faults, ...this.#toAgent.faults];
  }

  losses(id: V2LossId): number {
    return this.#translator.losses.get(id) ?? 0;
  }

  fromClient(frame: JsonObject): TranslatedFrames {
    this.#toClient.saw("client", JSON.stringify(frame));
    return this.#written(this.#translator.fromClient(frame));
  }

  fromAgent(frame: JsonObject): TranslatedFrames {
    this.#toAgent.saw("agent", JSON.stringify(frame));
    return this.#written(this.#translator.fromAgent(frame));
  }

  /** A request of the client. Returns its id too. */
  call(method: string, params: JsonObject): TranslatedFrames & { readonly id: number } {
    const id = ++this.#ids;
    return { id, ...this.fromClient({ jsonrpc: "2.0", id, method, params }) };
  }

  /** The frames that the client gets for the agent's answer. */
  answer(id: unknown, result: unknown): readonly JsonObject[] {
    return this.fromAgent({ jsonrpc: "2.0", id, result }).toClient;
  }

  /** The updates that the client gets for an update of the agent in the session `s`. */
  update(update: JsonObject): readonly unknown[] {
    const params = { sessionId: "s", update };
    const { toClient } = this.fromAgent({ jsonrpc: "2.0", method: "session/update", params });
    return toClient.map((frame) => updateOf(frame) ?? frame);
  }

  /** Creates the session `s`. */
  open(result: JsonObject = {}): readonly JsonObject[] {
    const { id } = this.call("session/new", { cwd: "/project", mcpServers: [] });
    return this.answer(id, { sessionId: "s", ...result });
  }

  prompt(text = "Hi"): TranslatedFrames & { readonly id: number } {
    return this.call("session/prompt", { sessionId: "s", prompt: [{ type: "text", text }] });
  }

  #written(frames: TranslatedFrames): TranslatedFrames {
    // A side sees the request before the answer that is written for it.
    for (const frame of frames.toAgent) {
      this.#toAgent.saw("client", JSON.stringify(frame));
    }
    for (const frame of frames.toClient) this.#toClient.saw("agent", JSON.stringify(frame));
    return frames;
  }
}

/** Checks at the end of the test that everything that was written is valid. */
export function watched(sides: Sides): Sides {
  onTestFinished(() => expect(sides.faults).toEqual([]));
  return sides;
}

/** A v1 client and a v2 agent, with the session `s`. */
export function v1Client(
  clientCapabilities: JsonObject = {},
  capabilities: JsonObject = AGENT_OF_V2,
): Sides {
  const result = {
    protocolVersion: 2,
    info: { name: "v2", version: "1" },
    capabilities,
    authMethods: [],
  };
  const sides = new Sides(1, 2, clientCapabilities, result);
  sides.open();
  return sides;
}

/** A v2 client and a v1 agent, with the session `s`. */
export function v2Client(agentCapabilities: JsonObject = {}, setup: JsonObject = {}): Sides {
  const result = { protocolVersion: 1, agentCapabilities, authMethods: [] };
  const sides = new Sides(2, 1, {}, result);
  sides.open(setup);
  return sides;
}

/** The update in a `session/update`; undefined for other frames. */
export function updateOf(frame: JsonObject): JsonObject | undefined {
  const { params } = frame;
  return isJsonObject(params) && isJsonObject(params["update"]) ? params["update"] : undefined;
}

export function textBlock(text: string): JsonObject {
  return { type: "text", text };
}

export function state(name: string, more: JsonObject = {}): JsonObject {
  return { sessionUpdate: "state_update", state: name, ...more };
}

export function agentChunk(messageId: string, text: string): JsonObject {
  return { sessionUpdate: "agent_message_chunk", messageId, content: textBlock(text) };
}

export function toolCall(more: JsonObject = {}): JsonObject {
  return { sessionUpdate: "tool_call_update", toolCallId: "t", ...more };
}

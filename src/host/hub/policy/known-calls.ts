import {
  isFinished,
  BoundedMap,
  mergeToolCall,
  TOOL_CALL_RULES,
  type ToolCallPatch,
  type ToolCallState,
  toUpdate,
} from "../../../protocol/acp/index.ts";
import type { GateSession, SessionAccess } from "../../../client/index.ts";
import type { Rewriter } from "../../../transport/rpc/index.ts";
import { v2AgentRewriter } from "../../../protocol/translator/index.ts";
import { isJsonObject, isList, type JsonObject } from "../../../base/index.ts";

/** The updates that say something about tool calls, in either version. */
const CALL_UPDATES = new Set<unknown>(["tool_call", "tool_call_update", "tool_call_content_chunk"]);

/** The newest tool calls of a session, as the agent described them. */
export class KnownCalls {
  readonly #calls = new BoundedMap<ToolCallState>(TOOL_CALL_RULES);
  /** Set if the agent speaks version 2. */
  readonly #rewriter: Rewriter | undefined;

  constructor(protocolVersion: number) {
    this.#rewriter = protocolVersion === 2 ? v2AgentRewriter({}) : undefined;
  }

  get(id: string): ToolCallState | undefined {
    return this.#calls.get(id);
  }

  /** Whether a call has been reported and not finished. */
  isOpen(id: string): boolean {
    const call = this.get(id);
    return call !== undefined && !isFinished(call.status);
  }

  /** The session as the gate sees it. */
  gateSession(
    { id, roots }: Pick<GateSession, "id" | "roots">,
    access: SessionAccess,
    closing: AbortSignal,
  ): GateSession {
    return {
      id,
      roots,
      access,
      toolCall: (callId) => this.get(callId),
      noteToolCall: (patch) => this.note(patch),
      turnSignal: closing,
      signalFor: () => closing,
      asking: (work) => work(),
    };
  }

  note(patch: ToolCallPatch): void {
    this.#calls.set(patch.toolCallId, mergeToolCall(this.get(patch.toolCallId), patch));
  }

  /** Takes the params of a `session/update`. Most of them are not about tool calls. */
  update(params: JsonObject): void {
    const { update } = params;
    if (!isJsonObject(update) || !CALL_UPDATES.has(update["sessionUpdate"])) return;
    for (const frame of this.#inV1("session/update", params)) this.#apply(frame);
  }

  /** The params of a permission request, as version 1 has them. */
  permission(params: JsonObject): JsonObject {
    let asked = params;
    for (const frame of this.#inV1("session/request_permission", params)) {
      if (frame["method"] === "session/update") this.#apply(frame);
      else if (isJsonObject(frame["params"])) asked = frame["params"];
    }
    return asked;
  }

  #apply({ params }: JsonObject): void {
    if (!isJsonObject(params)) return;
    const update = toUpdate(params["update"], undefined, false, this.#rewriter !== undefined);
    if (update.type === "tool_call" || update.type === "tool_call_update") {
      this.#calls.set(update.toolCallId, mergeToolCall(this.get(update.toolCallId), update));
    }
  }

  #inV1(method: string, params: JsonObject): readonly JsonObject[] {
    const frame = { jsonrpc: "2.0", id: 0, method, params };
    if (!this.#rewriter) return [frame];
    const read = this.#rewriter.read(frame);
    return read === undefined ? [] : isList(read) ? read : [read];
  }
}

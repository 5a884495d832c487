import type { JsonObject } from "../../base/index.ts";
import { ToolServerError } from "../errors.ts";
import type { ToolServerRequest } from "../mcp/core.ts";
import type { BridgeCommand, ServedBridge } from "./bridge.ts";

/** Rejects with ToolServerError: this runtime cannot start commands. */
export async function serveBridge(
  _answer: (request: ToolServerRequest) => Promise<JsonObject>,
  _bridge: BridgeCommand | undefined,
): Promise<ServedBridge> {
  const why = "this runtime has no commands: only agents with mcpCapabilities.acp can call tools";
  throw new ToolServerError("unavailable", why);
}

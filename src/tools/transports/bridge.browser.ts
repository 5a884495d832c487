import { ToolServerError } from "../tool.ts";
import type { ToolAnswer } from "../mcp.ts";
import type { BridgeCommand, ServedBridge } from "./bridge.ts";

/** Rejects with ToolServerError: this runtime cannot start commands. */
export async function serveBridge(
  _answer: ToolAnswer,
  _bridge: BridgeCommand | undefined,
): Promise<ServedBridge> {
  const why = "this runtime has no commands: only agents with mcpCapabilities.acp can call tools";
  throw new ToolServerError("unavailable", why);
}

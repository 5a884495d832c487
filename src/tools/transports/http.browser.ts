import { ToolServerError } from "../tool.ts";
import type { ToolAnswer } from "../mcp.ts";
import type { ServedHttp } from "./http.ts";

/** Rejects with ToolServerError: this runtime has no HTTP server. */
export async function serveHttp(_answer: ToolAnswer): Promise<ServedHttp> {
  const why =
    "this runtime has no HTTP server: only agents with mcpCapabilities.acp can call tools";
  throw new ToolServerError("unavailable", why);
}

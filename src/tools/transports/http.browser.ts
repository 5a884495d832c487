import type { JsonObject } from "../../base/index.ts";
import { ToolServerError } from "../errors.ts";
import type { ToolServerRequest } from "../mcp/core.ts";
import type { ServedHttp } from "./http.ts";

/** Rejects with ToolServerError: this runtime has no HTTP server. */
export async function serveHttp(
  _answer: (request: ToolServerRequest) => Promise<JsonObject>,
): Promise<ServedHttp> {
  const why =
    "this runtime has no HTTP server: only agents with mcpCapabilities.acp can call tools";
  throw new ToolServerError("unavailable", why);
}

/**
 * Crow's dialect of ACP: snake_case keys, updates tagged with `@type`, a cancel that is a request.
 *
 * Each key may have either spelling when read, because crow itself mixes them. Messages are always
 * written in crow's spelling, together with fields that crow does not know. `crow-losses.ts` lists the
 * messages that have no form in crow and are lost.
 *
 * | row | crow                                             | canonical                             |
 * |-----|--------------------------------------------------|---------------------------------------|
 * |  1  | `initialize` params in snake_case                | camelCase                             |
 * |  2  | `initialize` result in snake_case                | camelCase                             |
 * |  3  | `prompt_capabilities{text,image,resource}`       | `{image,audio,embeddedContext}`       |
 * |  4  | `mcp_capabilities`, `load_session`               | camelCase                             |
 * |  5  | `session/new`: `cwd`, `mcpServers`, `sessionId`  | the same                              |
 * |  6  | `session/prompt` params `session_id`             | `sessionId`                           |
 * |  7  | prompt result `stop_reason`                      | `stopReason`                          |
 * |  8  | stop reason `error`                              | an error response, -32603             |
 * |  9  | update tag `@type`                               | `sessionUpdate`                       |
 * | 10  | `agent_thought_text{text}`                       | `agent_thought_chunk{content}`        |
 * | 11  | `agent_message_text{text}`                       | `agent_message_chunk{content}`        |
 * | 12  | `tool_call_start{tool_call_id,...}`              | `tool_call{toolCallId,...}`           |
 * | 13  | `tool_call_update{tool_call_id,...}`             | `tool_call_update{toolCallId,...}`    |
 * | 14  | `plan_update{entries}`                           | `plan{entries}`                       |
 * | 15  | `session/load{session_id,cwd}`                   | `{sessionId,cwd,mcpServers: []}`      |
 * | 16  | request `cancel{session_id}`                     | notification `session/cancel`         |
 * | 17  | update `permission_request`                      | request `session/request_permission`  |
 * | 18  | `permission_response` (form assumed)             | the response `{outcome}`              |
 * | 19  | -32602 with `data.errors`                        | the same                              |
 * | 20  | session ids are UUIDs                            | opaque strings                        |
 *
 * Two forms are assumptions, because crow's description leaves them open: row 18 (see
 * {@link CrowOptions}), and `user_message_text`, which a replay needs and crow never mentions.
 */
import type { Rewriter } from "../../../transport/rpc/index.ts";
import { canonicalDialect } from "./canonical.ts";
import { through } from "./chain.ts";
import { CrowAgent } from "./crow-agent.ts";
import { CrowClient } from "./crow-client.ts";
import type { CrowOptions, DialectRole } from "./crow-options.ts";

/**
 * Creates a rewriter between canonical handlers and a peer that speaks crow. It never throws. Create
 * one per connection, because it keeps the ids of open requests.
 */
export function crowDialect(role: DialectRole, options: CrowOptions = {}): Rewriter {
  const canonical = canonicalDialect();
  const crow = role === "client" ? new CrowClient(options) : new CrowAgent(options);
  return {
    read: (message) => through(crow.read(message), (next) => canonical.read(next)),
    write: (message) => through(canonical.write(message), (next) => crow.write(next)),
  };
}

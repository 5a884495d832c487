import { checkMcpServers } from "../../hub/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { type JsonObject, objectField, objectsField } from "../../../base/index.ts";

/**
 * Pure: the MCP servers that a client names for a session; undefined if it names none at all. Throws RpcError
 * for one that the agent could not reach from its worker.
 */
export function mcpServersOf(params: JsonObject): readonly JsonObject[] | undefined {
  const { mcpServers } = params;
  if (mcpServers === undefined || mcpServers === null) return undefined;
  checkMcpServers(mcpServers);
  const servers = objectsField(params, "mcpServers");
  const inClient = servers.findIndex(({ type }) => type === "acp");
  if (inClient === -1) return servers;
  const field = `mcpServers[${inClient}]`;
  const message = `${field} runs in this client, which may leave the session: use http`;
  throw RpcError.invalidParams(message, { field });
}

/** Pure: the capabilities of an agent for MCP, without the servers that run in clients. */
export function mcpCapabilitiesOf(capabilities: JsonObject): JsonObject {
  const { acp: _inClient, ...others } = objectField(capabilities, "mcpCapabilities") ?? {};
  return others;
}

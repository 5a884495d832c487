import { type McpServer, mcpServerKind } from "../../../protocol/acp/index.ts";
import type { DroidMcpServer as DroidServer } from "../../../droid/index.ts";

type NameValue = { readonly name: string; readonly value: string };

/** Leaves out servers with an unknown transport. */
export function toDroidServers(servers: readonly McpServer[]): readonly DroidServer[] {
  return servers.flatMap((server): DroidServer[] => {
    if ("command" in server) {
      const { name, command, args, env } = server;
      return [{ name, command, args, env: toMap(env) }];
    }
    const kind = mcpServerKind(server);
    if ((kind !== "http" && kind !== "sse") || !("url" in server)) return [];
    const { name, url, headers } = server;
    return [{ type: kind, name, url, headers: toMap(headers) }];
  });
}

function toMap(list: readonly NameValue[]): Record<string, string> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

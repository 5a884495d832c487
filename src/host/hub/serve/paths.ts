import type { TokenGrant } from "../../../transport/remote/index.ts";
import type { HubAgent } from "../options.ts";

const ENDPOINT = "/acp";

/** The path with the figures of the server. */
export const METRICS_PATH = "/metrics";
/** The path that says whether the server accepts work. */
export const HEALTH_PATH = "/healthz";

/** Pure: whether a path is one of an agent, known or not. */
export function isAgentPath(path: string): boolean {
  return path === ENDPOINT || path.startsWith(`${ENDPOINT}/`);
}

/** Pure: the agent that a path leads to for a token; undefined if it may use none there. */
export function agentAt(
  path: string,
  agents: readonly HubAgent[],
  grant: TokenGrant,
): HubAgent | undefined {
  const allowed = agents.filter(({ name }) => mayUseAgent(grant, name));
  if (path === ENDPOINT) return allowed.length === 1 ? allowed[0] : undefined;
  return allowed.find(({ name }) => path === `${ENDPOINT}/${encodeURIComponent(name)}`);
}

/** Pure: whether a token may use an agent. */
export function mayUseAgent({ agents }: TokenGrant, name: string): boolean {
  return agents === undefined || agents.includes(name);
}

/** Pure: whether a token may see the figures of the server, which count the work of all agents. */
export function mayReadMetrics({ agents }: TokenGrant): boolean {
  return agents === undefined;
}

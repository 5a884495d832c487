import { type AuthStatus, readAuthStatus, UNSTABLE_METHODS } from "../../protocol/acp/index.ts";
import type { RequestContext } from "../../transport/rpc/index.ts";
import { callSafely } from "../../base/index.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { SessionImpl } from "../session/session-impl.ts";
import { McpServers } from "./mcp.ts";
import type { UnstableConfig } from "../session/session-options.ts";
import { Subagents } from "./subagents.ts";

/** The part of a connection that belongs to the unstable protocol: MCP servers, subagents, sign-in state. */
export class UnstableServices {
  /** Whether the unstable protocol is used. If not, everything here stays empty. */
  readonly enabled: boolean;
  /** The MCP servers in this process. */
  readonly mcp: McpServers;
  /** The sessions of subagents. */
  readonly subagents: Subagents;
  /** The last sign-in state that the agent reported. */
  authStatus: AuthStatus | undefined;
  readonly #onAuthStatus: UnstableConfig["onAuthStatus"];

  constructor(host: SessionHost, sessions: Map<string, SessionImpl>, config: UnstableConfig) {
    this.enabled = config.unstable === true;
    this.#onAuthStatus = config.onAuthStatus;
    this.mcp = new McpServers(host);
    this.subagents = new Subagents(host, sessions);
  }

  /** Answers a request; undefined if it is not one of the unstable protocol. */
  request(method: string, params: unknown, context: RequestContext): Promise<unknown> | undefined {
    if (!this.enabled || method !== UNSTABLE_METHODS.mcpMessage) return undefined;
    return this.mcp.request(params, context);
  }

  /** Handles a notification. Returns false if it is not one of the unstable protocol. */
  notification(method: string, params: unknown): boolean {
    if (!this.enabled || method !== UNSTABLE_METHODS.authStatusUpdate) return false;
    const status = readAuthStatus(method, params);
    this.authStatus = status;
    callSafely(() => this.#onAuthStatus?.(status));
    return true;
  }

  /** Ends what belongs to a session that has ended. */
  async endOf(sessionId: string): Promise<void> {
    this.mcp.closeSession(sessionId);
    await this.subagents.endOf(sessionId);
  }

  /** Ends everything, after the connection has ended all sessions. */
  close(): void {
    this.subagents.clear();
    this.mcp.close();
  }
}

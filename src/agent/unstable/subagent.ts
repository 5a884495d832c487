import type {
  McpServer,
  SubagentDetails,
  ContentBlock,
  Meta,
  SessionUpdate,
  ToolCallUpdate,
} from "../../protocol/acp/index.ts";
import { quietly, randomId, quiet } from "../../base/index.ts";
import type { Link, Client } from "../connection/client.ts";
import { UnsupportedByClientError, SessionClosedError, TurnCancelledError } from "../errors.ts";
import {
  type SessionSender,
  type Deliver,
  type SendOptions,
  UpdateSender,
} from "../session/sender.ts";
import type { McpCaller } from "./mcp.ts";
import {
  requestPermission,
  type PermissionAnswer,
  type PermissionQuestion,
} from "../turn/permission.ts";
import { TurnScope } from "../turn/turn-scope.ts";

/** The unstable part of an open session. */
export interface UnstableSession {
  /**
   * An MCP server of the session that lives in the client's process, by its name. Throws RangeError if
   * there is none. Needs `mcpCapabilities: { acp: true }`.
   */
  mcp(name: string): McpCaller;
  /**
   * Reports a new subagent to the client. Rejects with UnsupportedByClientError if the client did not
   * advertise `subagents`, and without `unstable: true`.
   */
  openSubagent(
    details?: SubagentDetails,
    options?: {
      /** The id of its session. Default: a random UUID. */
      readonly id?: string | undefined;
    },
  ): Promise<SubagentHandle>;
}

/** Keeps the subagents of a session. */
export class SessionSubagents {
  readonly #link: Link;
  readonly #open = new Set<AuthorSubagent>();

  constructor(link: Link) {
    this.#link = link;
  }

  open(parent: SessionSender, details: SubagentDetails, id?: string): Promise<SubagentHandle> {
    return quietly(async () => {
      if (!this.#link.can("subagents")) throw new UnsupportedByClientError("subagents");
      const subagent = new AuthorSubagent(parent, this.#link, id);
      this.#open.add(subagent);
      this.#link.unstable.subagents.set(subagent.id, subagent);
      await subagent.describe(details);
      return subagent;
    });
  }

  /** Closes them with their session. */
  close(): void {
    for (const subagent of this.#open) {
      this.#link.unstable.subagents.delete(subagent.id);
      subagent.close();
    }
    this.#open.clear();
  }
}

/** The caller of an MCP server of a session. Throws RangeError if there is none with this name. */
export function mcpCaller(servers: readonly McpServer[], name: string, link: Link): McpCaller {
  for (const server of servers) {
    if ("serverId" in server && server.name === name) return link.unstable.mcp.caller(server);
  }
  throw new RangeError(`the session has no MCP server "${name}" in the client's process`);
}

/**
 * A subagent that the agent has reported to the client: a session of its own, in which updates can be
 * sent and permission can be asked. It stays open until its parent closes.
 */
export interface SubagentHandle extends SessionSender {
  /** The id of its session. */
  readonly id: string;
  /**
   * Aborted when the client cancels the subagent's work, which needs `capabilities: { cancel: {} }`. The
   * next `describe` with a state of `running` starts a new one.
   */
  readonly signal: AbortSignal;
  /** Reports what changed about the subagent. */
  describe(details: SubagentDetails, options?: SendOptions): Promise<void>;
  /** Sends the next part of the subagent's answer. */
  say(content: string | ContentBlock, options?: SendOptions): Promise<void>;
  /**
   * Asks for permission for a tool call of the subagent. Resolves as cancelled if the subagent's work
   * is cancelled.
   */
  askAbout(toolCall: ToolCallUpdate, question?: PermissionQuestion): Promise<PermissionAnswer>;
}

/** The class behind `SubagentHandle`. */
class AuthorSubagent extends UpdateSender implements SubagentHandle {
  readonly id: string;
  readonly #parent: SessionSender;
  readonly #link: Link;
  #controller = new AbortController();
  #closed = false;

  constructor(parent: SessionSender, link: Link, id: string = randomId()) {
    super();
    this.id = id;
    this.#parent = parent;
    this.#link = link;
  }

  get client(): Client {
    return this.#link;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  describe(details: SubagentDetails, options?: SendOptions): Promise<void> {
    if (details.state?.state === "running" && this.signal.aborted && !this.#closed) {
      this.#controller = new AbortController();
    }
    return this.#parent.subagentUpdate(this.id, details, options);
  }

  say(given: string | ContentBlock, options?: SendOptions): Promise<void> {
    const content: ContentBlock = typeof given === "string" ? { type: "text", text: given } : given;
    return this.update({ sessionUpdate: "agent_message_chunk", content }, options);
  }

  askAbout(toolCall: ToolCallUpdate, question: PermissionQuestion = {}): Promise<PermissionAnswer> {
    const deliver: Deliver = (update, meta) => this.#link.update(this.id, update, meta);
    const scope = new TurnScope(this.id, this.#link, this.signal, deliver);
    return requestPermission(scope, toolCall, question);
  }

  /** The client has cancelled its work. */
  cancel(meta: Meta | undefined): void {
    this.#controller.abort(new TurnCancelledError({ meta }));
  }

  /** The parent has closed. */
  close(): void {
    this.#closed = true;
    this.cancel(undefined);
  }

  protected override send(update: SessionUpdate, notificationMeta?: Meta): Promise<void> {
    if (this.#closed) return quiet(Promise.reject(new SessionClosedError(this.id)));
    return this.#link.update(this.id, update, notificationMeta);
  }
}

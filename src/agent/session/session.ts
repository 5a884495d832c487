import type {
  ContentBlock,
  McpServer,
  Meta,
  StopReason,
  SubagentDetails,
  ToolCallUpdate,
} from "../../protocol/acp/index.ts";
import { quiet, quietly, randomId } from "../../base/index.ts";
import type { Link } from "../connection/client.ts";
import { SessionClosedError, TurnCancelledError } from "../errors.ts";
import { TurnScope } from "../turn/turn-scope.ts";
import type { AgentWork } from "../turn/work.ts";
import type { McpCaller } from "../unstable/mcp.ts";
import {
  toContentBlock,
  type Deliver,
  type SendOptions,
  type SessionSender,
  UpdateSender,
} from "./sender.ts";
import {
  type PermissionAnswer,
  type PermissionQuestion,
  requestPermission,
} from "../turn/questions.ts";

/** The folders and MCP servers of a session, as the client requested them. */
export interface SessionWorkspace {
  /** The working folder, an absolute path. */
  readonly cwd: string;
  /** Empty unless the agent supports them and the client sent some. */
  readonly additionalDirectories: readonly string[];
  /** The MCP servers that the agent should connect to. */
  readonly mcpServers: readonly McpServer[];
}

/**
 * One open session: its workspace, the author's state for it, and methods to send updates outside of
 * turns. Sending rejects with SessionClosedError once it is closed.
 */
export interface AgentSession<S> extends SessionSender, SessionWorkspace, UnstableSession {
  readonly id: string;
  /** The value that `newSession`, `loadSession`, `resumeSession` or `forkSession` returned. */
  readonly state: S;
  /**
   * Runs work that the agent starts by itself, such as a follow-up on a finished background task. It waits
   * for the turns before it, prompts wait for it, and the client can cancel it like a turn. Clients of v2
   * see that the session runs; clients of v1 see its updates, outside of a turn.
   *
   * Resolves with the stop reason; a cancelled one is `cancelled`. Rejects with any error that the work
   * throws, which clients of v2 get too, and with SessionClosedError if the session is closed.
   */
  work(run: (work: AgentWork) => Promise<WorkEnd>): Promise<StopReason>;
}

/** How work ended. `undefined` means `end_turn`. */
export type WorkEnd = StopReason | undefined | void;

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

/**
 * A subagent that the agent has reported to the client: a session of its own, in which updates can be
 * sent and permission can be asked. It stays open until its parent closes.
 */
export interface SubagentHandle extends SessionSender {
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

export class AuthorSession<S> extends UpdateSender implements AgentSession<S> {
  readonly id: string;
  readonly state: S;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
  readonly work: AgentSession<S>["work"];
  readonly #link: Link;
  readonly #subagents = new Set<AuthorSubagent>();

  constructor(
    id: string,
    state: S,
    { cwd, additionalDirectories, mcpServers }: SessionWorkspace,
    link: Link,
    deliver: Deliver,
    work: AgentSession<S>["work"],
  ) {
    super(link, deliver);
    this.id = id;
    this.state = state;
    this.cwd = cwd;
    this.additionalDirectories = additionalDirectories;
    this.mcpServers = mcpServers;
    this.work = work;
    this.#link = link;
  }

  mcp(name: string): McpCaller {
    for (const server of this.mcpServers) {
      if ("serverId" in server && server.name === name)
        return this.#link.unstable.mcp.caller(server);
    }
    throw new RangeError(`the session has no MCP server "${name}" in the client's process`);
  }

  openSubagent(
    details: SubagentDetails = {},
    { id }: { readonly id?: string | undefined } = {},
  ): Promise<SubagentHandle> {
    return quietly(async () => {
      this.#link.require("subagents");
      const subagent = new AuthorSubagent(this, this.#link, id);
      this.#subagents.add(subagent);
      this.#link.unstable.subagents.set(subagent.id, subagent);
      await subagent.describe(details);
      return subagent;
    });
  }

  /** Closes the subagents with the session. */
  close(): void {
    for (const subagent of this.#subagents) {
      this.#link.unstable.subagents.delete(subagent.id);
      subagent.close();
    }
    this.#subagents.clear();
  }
}

class AuthorSubagent extends UpdateSender implements SubagentHandle {
  readonly id: string;
  readonly #parent: SessionSender;
  readonly #link: Link;
  #controller = new AbortController();
  #closed = false;

  constructor(parent: SessionSender, link: Link, id: string = randomId()) {
    super(link, (update, meta) =>
      this.#closed
        ? quiet(Promise.reject(new SessionClosedError(id)))
        : link.update(id, update, meta),
    );
    this.id = id;
    this.#parent = parent;
    this.#link = link;
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
    const content = toContentBlock(given);
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
}

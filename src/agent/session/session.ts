import type {
  McpServer,
  Meta,
  SessionUpdate,
  StopReason,
  SubagentDetails,
} from "../../protocol/acp/index.ts";
import type { AgentWork } from "../turn/work.ts";
import type { Client, Link } from "../connection/client.ts";
import type { McpCaller } from "../unstable/mcp.ts";
import {
  mcpCaller,
  SessionSubagents,
  type UnstableSession,
  type SubagentHandle,
} from "../unstable/subagent.ts";
import { type Deliver, type SessionSender, UpdateSender } from "./sender.ts";

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

/** The class behind `AgentSession`. */
export class AuthorSession<S> extends UpdateSender implements AgentSession<S> {
  readonly id: string;
  readonly state: S;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
  readonly #link: Link;
  readonly #deliver: Deliver;
  readonly #subagents: SessionSubagents;
  readonly work: AgentSession<S>["work"];

  constructor(
    id: string,
    state: S,
    workspace: SessionWorkspace,
    link: Link,
    deliver: Deliver,
    work: AgentSession<S>["work"],
  ) {
    super();
    this.work = work;
    this.id = id;
    this.state = state;
    this.cwd = workspace.cwd;
    this.additionalDirectories = workspace.additionalDirectories;
    this.mcpServers = workspace.mcpServers;
    this.#link = link;
    this.#deliver = deliver;
    this.#subagents = new SessionSubagents(link);
  }

  get client(): Client {
    return this.#link;
  }

  mcp(name: string): McpCaller {
    return mcpCaller(this.mcpServers, name, this.#link);
  }

  openSubagent(
    details: SubagentDetails = {},
    { id }: { readonly id?: string | undefined } = {},
  ): Promise<SubagentHandle> {
    return this.#subagents.open(this, details, id);
  }

  /** Closes what belongs to the session. */
  close(): void {
    this.#subagents.close();
  }

  protected override send(update: SessionUpdate, notificationMeta?: Meta): Promise<void> {
    return this.#deliver(update, notificationMeta);
  }
}

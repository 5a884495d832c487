import type { McpServer, Meta, SessionUpdate } from "../../acp/index.ts";
import type { Client } from "../connection/client-link.ts";
import { type SessionSender, UpdateSender } from "./session-sender.ts";

/** The folders and MCP servers of a session, as the client requested them. */
export interface SessionWorkspace {
  /** The working folder, an absolute path. */
  readonly cwd: string;
  /** Empty unless the agent supports them and the client sent some. */
  readonly additionalDirectories: readonly string[];
  /** The MCP servers that the agent should connect to. */
  readonly mcpServers: readonly McpServer[];
}

/** Sends an update in one session, with the `_meta` of its notification. */
export type Deliver = (update: SessionUpdate, notificationMeta?: Meta) => Promise<void>;

/**
 * One open session: its workspace, the author's state for it, and methods to send updates outside of
 * turns. Sending rejects with SessionClosedError once it is closed.
 */
export interface AgentSession<S> extends SessionSender, SessionWorkspace {
  /** The id of the session. */
  readonly id: string;
  /** The value that `newSession`, `loadSession`, `resumeSession` or `forkSession` returned. */
  readonly state: S;
}

/** The class behind `AgentSession`. */
export class AuthorSession<S> extends UpdateSender implements AgentSession<S> {
  readonly id: string;
  readonly state: S;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
  readonly client: Client;
  readonly #deliver: Deliver;

  constructor(id: string, state: S, workspace: SessionWorkspace, client: Client, deliver: Deliver) {
    super();
    this.id = id;
    this.state = state;
    this.cwd = workspace.cwd;
    this.additionalDirectories = workspace.additionalDirectories;
    this.mcpServers = workspace.mcpServers;
    this.client = client;
    this.#deliver = deliver;
  }

  protected override send(update: SessionUpdate, notificationMeta?: Meta): Promise<void> {
    return this.#deliver(update, notificationMeta);
  }
}

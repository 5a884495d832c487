import type { McpServer, SessionUpdate } from "../../acp/index.ts";
import type { Client } from "../connection/client-link.ts";
import { SessionSender } from "./session-sender.ts";

/** Where a session works, as the client asked for it. */
export interface SessionWorkspace {
  readonly cwd: string;
  /** Empty unless the agent takes them and the client gave some. */
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
}

/** Sends an update of one session. */
export type Deliver = (update: SessionUpdate) => Promise<void>;

/**
 * One open session: its place, the author's own value for it, and a way to tell the client about it
 * outside of turns. Sending rejects with SessionClosedError once it is closed.
 */
export class AgentSession<S> extends SessionSender {
  readonly id: string;
  /** What `newSession` and its like gave. */
  readonly state: S;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
  readonly client: Client;
  readonly #deliver: Deliver;

  /** Sessions are made by the toolkit. */
  constructor(id: string, state: S, place: SessionWorkspace, client: Client, deliver: Deliver) {
    super();
    this.id = id;
    this.state = state;
    this.cwd = place.cwd;
    this.additionalDirectories = place.additionalDirectories;
    this.mcpServers = place.mcpServers;
    this.client = client;
    this.#deliver = deliver;
  }

  protected override send(update: SessionUpdate): Promise<void> {
    return this.#deliver(update);
  }
}

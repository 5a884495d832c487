import type { OpenToolServer, ToolServer } from "../../tools/index.ts";
import { UnsupportedByDroidError } from "../errors.ts";
import type { DroidCapabilities, DroidVersion } from "../protocol/versions.ts";
import type { DroidMcpServer } from "../protocol/session.ts";

/** The part of a connection that tool servers need. */
interface ToolHost {
  readonly version: DroidVersion;
  readonly capabilities: DroidCapabilities;
  readonly isOpen: boolean;
  readonly closed: Promise<unknown>;
}

/** MCP servers for a session that is about to be opened, with its tool servers opened. */
interface OpenedServers {
  readonly servers: readonly DroidMcpServer[];
  readonly tools: readonly OpenToolServer[];
}

/** The tool servers that are open for the session of a connection. They end with it. */
export class SessionTools {
  readonly #host: ToolHost;
  #open: readonly OpenToolServer[] = [];

  constructor(host: ToolHost) {
    this.#host = host;
    void host.closed.then(() => this.#close());
  }

  /**
   * Opens the tool servers of a list while `work` opens the session with it. They replace those of the
   * session before if `work` succeeds, and are closed if it fails. Rejects with UnsupportedByDroidError
   * if this version connects to no server, with ToolServerError, and like `work`.
   */
  async whileOpening<T>(
    given: readonly (DroidMcpServer | ToolServer)[] = [],
    work: (servers: readonly DroidMcpServer[]) => Promise<T>,
  ): Promise<T> {
    const { servers, tools } = await this.#resolve(given);
    try {
      const result = await work(servers);
      closeAll(this.#open);
      this.#open = tools;
      if (!this.#host.isOpen) this.#close();
      return result;
    } catch (error) {
      closeAll(tools);
      throw error;
    }
  }

  /** Aborts the running calls, because a turn was cancelled. `ended` settles when the turn is over. */
  cancelCalls(ended: Promise<unknown>): void {
    for (const server of this.#open) server.cancelCalls(ended);
  }

  /** Replaces each tool server with the MCP server that Droid connects to. */
  async #resolve(given: readonly (DroidMcpServer | ToolServer)[]): Promise<OpenedServers> {
    const { capabilities, version } = this.#host;
    const tools: OpenToolServer[] = [];
    const servers: DroidMcpServer[] = [];
    try {
      for (const server of given) {
        if (server.type !== "tools") {
          servers.push(server);
          continue;
        }
        if (!capabilities.startsMcpServers || server.transport === "acp") {
          throw new UnsupportedByDroidError(`the tool server "${server.name}"`, version);
        }
        const opened = await (server.transport === "stdio"
          ? server.open("stdio")
          : server.open("http"));
        tools.push(opened);
        servers.push(opened.endpoint);
      }
    } catch (error) {
      closeAll(tools);
      throw error;
    }
    return { servers, tools };
  }

  #close(): void {
    closeAll(this.#open);
    this.#open = [];
  }
}

function closeAll(tools: readonly OpenToolServer[]): void {
  for (const server of tools) void server.close();
}

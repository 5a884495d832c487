import {
  client,
  type AnyMessage,
  type ClientConnection,
  type ClientContext,
  type ContentBlock,
  type ListSessionsRequest,
  type McpServer,
  type Stream,
} from "@agentclientprotocol/sdk";
import { tapped, type Channel } from "../../../src/entries/wire.ts";
import {
  afterUpdates,
  Driver,
  type DriverOptions,
  type Opened,
  type SessionTarget,
} from "./driver.ts";
import type { Json } from "./judge.ts";

/** Drives an agent with the `client()` of the official SDK. */
export class SdkDriver extends Driver {
  readonly raw = (method: string, params: Json): Promise<Json> =>
    afterUpdates(this.#agent.request<Json>(method, params));
  readonly #options: DriverOptions;
  readonly #connection: ClientConnection;

  constructor(options: DriverOptions) {
    super();
    this.#options = options;
    const { permission, form } = options.answers;
    // The updates handler comes first: the SDK tries its handlers one by one, so a later one runs later.
    const app = client({ name: "test" }).onNotification("session/update", ({ params }) => {
      this.received(params.sessionId, { ...params.update });
    });
    if (permission)
      app.onRequest("session/request_permission", ({ params, signal }) =>
        permission({ ...params }, signal),
      );
    if (form)
      app.onRequest("elicitation/create", ({ params, signal }) => form({ ...params }, signal));
    this.#connection = app.connect(streamOf(tapped(options.channel, this.saw)));
  }

  async start(): Promise<Json> {
    const answer = await this.#agent.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: this.#options.capabilities,
      clientInfo: { name: "test", version: "0" },
    });
    return { ...answer };
  }

  authenticate(methodId: string): Promise<unknown> {
    return this.#agent.request("authenticate", { methodId });
  }

  async open(cwd: string, mcpServers: McpServer[] = []): Promise<Opened> {
    const answer = this.#agent.request("session/new", { cwd, mcpServers });
    const { sessionId, modes, configOptions } = await afterUpdates(answer);
    return { sessionId, modes, configOptions };
  }

  async load(target: SessionTarget): Promise<Opened> {
    const answer = this.#agent.request("session/load", { mcpServers: [], ...target });
    const { modes, configOptions } = await afterUpdates(answer);
    return { sessionId: target.sessionId, modes, configOptions };
  }

  async resume(target: SessionTarget): Promise<Opened> {
    const answer = this.#agent.request("session/resume", { mcpServers: [], ...target });
    const { modes, configOptions } = await afterUpdates(answer);
    return { sessionId: target.sessionId, modes, configOptions };
  }

  async fork(target: SessionTarget): Promise<Opened> {
    const answer = this.raw("session/fork", { mcpServers: [], ...target });
    const { sessionId, modes, configOptions } = await answer;
    return { sessionId: String(sessionId), modes, configOptions };
  }

  close(sessionId: string): Promise<unknown> {
    return this.#agent.request("session/close", { sessionId });
  }

  delete(sessionId: string): Promise<unknown> {
    return this.#agent.request("session/delete", { sessionId });
  }

  async list(cwd?: string): Promise<readonly Json[]> {
    const all: Json[] = [];
    let cursor: string | null = null;
    do {
      const params: ListSessionsRequest = { cwd: cwd ?? null, cursor };
      const page = await this.#agent.request("session/list", params);
      all.push(...page.sessions.map((info) => ({ ...info })));
      cursor = page.nextCursor ?? null;
    } while (cursor);
    return all;
  }

  setMode(sessionId: string, modeId: string): Promise<unknown> {
    return afterUpdates(this.#agent.request("session/set_mode", { sessionId, modeId }));
  }

  async setOption(sessionId: string, configId: string, value: string): Promise<unknown> {
    const answer = await this.raw("session/set_config_option", { sessionId, configId, value });
    return answer["configOptions"];
  }

  async ask(sessionId: string, prompt: ContentBlock[]): Promise<Json> {
    const answer = this.#agent.request("session/prompt", { sessionId, prompt });
    return { ...(await afterUpdates(answer)) };
  }

  cancel(sessionId: string): Promise<void> {
    return this.#agent.notify("session/cancel", { sessionId });
  }

  async end(): Promise<unknown> {
    this.#connection.close();
    return this.#options.channel.close();
  }

  get #agent(): ClientContext {
    return this.#connection.agent;
  }
}

/** Adapts a channel to the stream type of the SDK. */
function streamOf(channel: Channel): Stream {
  return {
    readable: new ReadableStream<AnyMessage>({
      start(controller) {
        channel.open((line) => controller.enqueue(JSON.parse(line) as AnyMessage));
        void channel.closed.then(() => controller.close()).catch(() => {});
      },
    }),
    writable: new WritableStream<AnyMessage>({
      write: (message) => channel.send(JSON.stringify(message)),
      close: async () => void (await channel.close()),
    }),
  };
}

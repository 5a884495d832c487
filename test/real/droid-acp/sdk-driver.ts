import * as stable from "@agentclientprotocol/sdk";
import type { AnyMessage, ContentBlock, McpServer, Stream } from "@agentclientprotocol/sdk";
import * as unstable from "@agentclientprotocol/sdk/unstable";
import { tapped, type Channel } from "../../../src/entries/wire.ts";
import {
  afterUpdates,
  type Answers,
  Driver,
  type DriverOptions,
  type Instructions,
  type Opened,
  type SessionTarget,
} from "./driver.ts";
import type { Json } from "./judge.ts";

/** The part of a connection that the stable and the unstable SDK share. */
interface SdkConnection {
  readonly agent: {
    request<Result>(method: string, params: Json): Promise<Result>;
    notify(method: string, params: Json): Promise<void>;
  };
  close(): void;
}

type Received = (notification: { params: { sessionId: string; update: object } }) => void;

// The updates handler comes first: the SDK tries its handlers one by one, so a later one runs later.
function stableClient({ permission, form }: Answers, received: Received, stream: Stream) {
  const app = stable.client({ name: "test" }).onNotification("session/update", received);
  if (permission)
    app.onRequest("session/request_permission", ({ params, signal }) =>
      permission({ ...params }, signal),
    );
  if (form)
    app.onRequest("elicitation/create", ({ params, signal }) => form({ ...params }, signal));
  return app.connect(stream);
}

function unstableClient({ permission, form }: Answers, received: Received, stream: Stream) {
  const app = unstable.client({ name: "test" }).onNotification("session/update", received);
  if (permission)
    app.onRequest("session/request_permission", ({ params, signal }) =>
      permission({ ...params }, signal),
    );
  if (form)
    app.onRequest("elicitation/create", ({ params, signal }) => form({ ...params }, signal));
  return app.connect(stream);
}

/** Drives an agent with the `client()` of the official SDK. */
export class SdkDriver extends Driver {
  readonly raw = (method: string, params: Json): Promise<Json> =>
    afterUpdates(this.#agent.request<Json>(method, params));
  readonly #options: DriverOptions;
  readonly #connection: SdkConnection;

  constructor(options: DriverOptions) {
    super();
    this.#options = options;
    const stream = streamOf(tapped(options.channel, this.saw));
    const received = ({ params }: { params: { sessionId: string; update: object } }): void =>
      this.received(params.sessionId, { ...params.update });
    this.#connection = options.unstable
      ? unstableClient(options.answers, received, stream)
      : stableClient(options.answers, received, stream);
  }

  async start(): Promise<Json> {
    return this.#agent.request<Json>("initialize", {
      protocolVersion: 1,
      clientCapabilities: this.#options.capabilities,
      clientInfo: { name: "test", version: "0" },
    });
  }

  authenticate(methodId: string): Promise<unknown> {
    return this.#agent.request("authenticate", { methodId });
  }

  async open(
    cwd: string,
    mcpServers: McpServer[] = [],
    systemPrompt?: Instructions,
  ): Promise<Opened> {
    const answer = this.raw("session/new", { cwd, mcpServers, ...instructions(systemPrompt) });
    const { sessionId, modes, configOptions } = await answer;
    return { sessionId: String(sessionId), modes, configOptions };
  }

  async load(target: SessionTarget): Promise<Opened> {
    const { modes, configOptions } = await this.raw("session/load", reopening(target));
    return { sessionId: target.sessionId, modes, configOptions };
  }

  async resume(target: SessionTarget): Promise<Opened> {
    const { modes, configOptions } = await this.raw("session/resume", reopening(target));
    return { sessionId: target.sessionId, modes, configOptions };
  }

  async fork(target: SessionTarget): Promise<Opened> {
    const answer = this.raw("session/fork", reopening(target));
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
      const params: Json = { cwd: cwd ?? null, cursor };
      const page: stable.ListSessionsResponse = await this.#agent.request("session/list", params);
      all.push(...page.sessions.map((info) => ({ ...info })));
      cursor = page.nextCursor ?? null;
    } while (cursor);
    return all;
  }

  async setTitle(sessionId: string, title: string): Promise<unknown> {
    return (await this.raw("session/set_title", { sessionId, title }))["title"];
  }

  setMode(sessionId: string, modeId: string): Promise<unknown> {
    return afterUpdates(this.#agent.request("session/set_mode", { sessionId, modeId }));
  }

  async setOption(sessionId: string, configId: string, value: string): Promise<unknown> {
    const answer = await this.raw("session/set_config_option", { sessionId, configId, value });
    return answer["configOptions"];
  }

  async ask(sessionId: string, prompt: ContentBlock[]): Promise<Json> {
    return this.raw("session/prompt", { sessionId, prompt });
  }

  cancel(sessionId: string): Promise<void> {
    return this.#agent.notify("session/cancel", { sessionId });
  }

  async end(): Promise<unknown> {
    this.#connection.close();
    return this.#options.channel.close();
  }

  get #agent(): SdkConnection["agent"] {
    return this.#connection.agent;
  }
}

/** Instructions as they are on the wire. */
function instructions(given: Instructions | undefined): Json {
  if (!given) return {};
  const content = [{ type: "text", text: given.text }];
  return { systemPrompt: { mode: given.mode, content } };
}

function reopening({ systemPrompt, ...target }: SessionTarget): Json {
  return { mcpServers: [], ...target, ...instructions(systemPrompt) };
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

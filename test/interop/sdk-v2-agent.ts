/** An agent on the SDK's experimental support for v2, whose turns a test scripts step by step. */
import * as sdk from "@agentclientprotocol/sdk/experimental/v2";
import { afterEach, expect } from "vitest";
import { AcpClient, memoryPair, type Session } from "../../src/entries/dragoman.ts";
import type { ConnectionConfig } from "../../src/client/index.ts";
import { type Channel, streamFromChannel, tapped } from "../../src/entries/wire.ts";
import { deferred } from "../../src/base/index.ts";
import { FrameChecker } from "../support/schema.ts";

export type Update = sdk.UpdateSessionNotification["update"];
export type Permission = Omit<sdk.RequestPermissionRequest, "sessionId">;

const OPTIONS: sdk.RequestPermissionRequest["options"] = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Deny", kind: "reject_once" },
];

/** One prompt that the agent received. */
export class SdkTurn {
  readonly sessionId: string;
  readonly text: string;
  readonly messageId: string;
  readonly #client: sdk.AgentContext;
  readonly #answer = deferred<{ messageId: string }>();

  constructor(client: sdk.AgentContext, params: sdk.PromptRequest, messageId: string) {
    const [block] = params.prompt;
    this.text = block?.type === "text" ? String(block.text) : "";
    this.sessionId = params.sessionId;
    this.messageId = messageId;
    this.#client = client;
    // A prompt that is refused has a handler, but only later.
    this.#answer.promise.catch(() => {});
  }

  get answer(): Promise<{ messageId: string }> {
    return this.#answer.promise;
  }

  /** Makes the prompt part of the conversation: shows it, and answers. */
  async insert(): Promise<void> {
    const content = [{ type: "text" as const, text: this.text }];
    await this.update({ sessionUpdate: "user_message", messageId: this.messageId, content });
    this.accept();
  }

  /** Inserts the prompt, and reports that the agent works. */
  async begin(): Promise<void> {
    await this.insert();
    await this.state("running");
  }

  accept(): void {
    this.#answer.resolve({ messageId: this.messageId });
  }

  refuse(error: Error): void {
    this.#answer.reject(error);
  }

  update(update: Update): Promise<void> {
    const { sessionId } = this;
    return this.#client.notify(sdk.methods.client.session.update, { sessionId, update });
  }

  state(state: string, more: object = {}): Promise<void> {
    return this.update({ sessionUpdate: "state_update", state, ...more } as Update);
  }

  idle(stopReason = "end_turn", more: object = {}): Promise<void> {
    return this.state("idle", { stopReason, ...more });
  }

  say(text: string, messageId = `answer to ${this.messageId}`): Promise<void> {
    const content = { type: "text" as const, text };
    return this.update({ sessionUpdate: "agent_message_chunk", messageId, content });
  }

  ask(
    request: Partial<Permission>,
    options: { readonly cancellationSignal?: AbortSignal } = {},
  ): Promise<sdk.RequestPermissionResponse> {
    const { sessionId } = this;
    const params = { sessionId, title: "May I?", options: OPTIONS, ...request };
    return this.#client.request(sdk.methods.client.session.requestPermission, params, options);
  }
}

/** The behavior that a test gives the agent. */
export interface AgentScript {
  readonly prompt?: (turn: SdkTurn, agent: SdkAgent) => Promise<void> | void;
  readonly resume?: (
    params: sdk.ResumeSessionRequest,
    update: (update: Update) => Promise<void>,
  ) => Promise<void>;
  readonly configOptions?: sdk.NewSessionResponse["configOptions"];
  readonly setConfigOption?: (
    params: sdk.SetSessionConfigOptionRequest,
  ) => NonNullable<sdk.NewSessionResponse["configOptions"]>;
  readonly close?: (agent: SdkAgent) => Promise<void> | void;
  readonly cancelToolCall?: (toolCallId: string, agent: SdkAgent) => Promise<void>;
  readonly cancelTerminal?: (terminalId: string, agent: SdkAgent) => Promise<void>;
}

/** The agent, and everything that it received. */
export class SdkAgent {
  readonly turns: SdkTurn[] = [];
  /** The methods that the client called, in order. */
  readonly received: string[] = [];
  readonly channel: Channel;
  readonly checker = new FrameChecker("client", "v2");
  readonly #ours: Channel;
  #cancels = deferred();
  #made = 0;

  constructor(script: AgentScript) {
    const [ours, theirs] = memoryPair();
    this.channel = theirs;
    this.#ours = tapped(ours, ({ direction, line }) => {
      this.checker.saw(direction === "in" ? "client" : "agent", line);
      const { method } = JSON.parse(line) as { method?: string };
      if (direction === "in" && method !== undefined) this.received.push(method);
    });
    this.#app(script).connect(streamFromChannel(this.#ours));
  }

  /** Resolves when the client cancels the session. */
  async cancelled(): Promise<void> {
    await this.#cancels.promise;
  }

  /** Ends the connection, as if the agent had died. */
  async die(): Promise<void> {
    await this.#ours.close();
  }

  #app(script: AgentScript): sdk.AgentApp {
    const { agent: methods } = sdk.methods;
    const setup = (): Pick<sdk.NewSessionResponse, "configOptions"> =>
      script.configOptions ? { configOptions: script.configOptions } : {};
    return sdk
      .agent({ name: "sdk" })
      .onRequest(methods.initialize, () => ({
        protocolVersion: 2,
        info: { name: "sdk", version: "1" },
        capabilities: { session: { prompt: {}, mcp: { stdio: {} }, delete: {} } },
        authMethods: [],
      }))
      .onRequest(methods.session.new, () => ({ sessionId: `s${++this.#made}`, ...setup() }))
      .onRequest(methods.session.list, () => ({ sessions: [] }))
      .onRequest(methods.session.resume, async ({ params, client }) => {
        const { sessionId } = params;
        await script.resume?.(params, (update) =>
          client.notify(sdk.methods.client.session.update, { sessionId, update }),
        );
        return setup();
      })
      .onRequest(methods.session.close, async () => {
        await script.close?.(this);
        return {};
      })
      .onRequest(methods.session.setConfigOption, ({ params }) => ({
        configOptions: script.setConfigOption?.(params) ?? [],
      }))
      .onRequest(methods.toolCall.cancel, async ({ params }) => {
        await script.cancelToolCall?.(params.toolCallId, this);
        return {};
      })
      .onRequest(methods.terminal.cancel, async ({ params }) => {
        await script.cancelTerminal?.(params.terminalId, this);
        return {};
      })
      .onRequest(methods.session.prompt, ({ params, client, signal }) => {
        const turn = new SdkTurn(client, params, `u${this.turns.length + 1}`);
        this.turns.push(turn);
        signal.addEventListener("abort", () => turn.refuse(sdk.RequestError.requestCancelled()));
        void Promise.resolve(script.prompt?.(turn, this)).catch((error: Error) =>
          turn.refuse(error),
        );
        return turn.answer;
      })
      .onNotification(methods.session.cancel, () => {
        this.#cancels.resolve();
        this.#cancels = deferred();
      });
  }
}

const clients: AcpClient[] = [];
const agents: SdkAgent[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  // Everything that our client wrote is v2, and nothing else.
  expect(agents.splice(0).flatMap(({ checker }) => checker.faults)).toEqual([]);
});

export const cwd = process.cwd();

/** Our client, connected to an agent on the SDK, with a session. */
export async function start(
  script: AgentScript | NonNullable<AgentScript["prompt"]>,
  config: Partial<ConnectionConfig> = {},
): Promise<{ readonly agent: SdkAgent; readonly client: AcpClient; readonly session: Session }> {
  const agent = new SdkAgent(typeof script === "function" ? { prompt: script } : script);
  agents.push(agent);
  const client = await AcpClient.start({ protocol: 2, ...config, channel: agent.channel });
  clients.push(client);
  return { agent, client, session: await client.newSession({ cwd }) };
}

/** Resolves when a condition holds, which each event of the session may bring about. */
export async function until(session: Session, holds: () => boolean): Promise<void> {
  if (holds()) return;
  for await (const _ of session.updates()) if (holds()) return;
}

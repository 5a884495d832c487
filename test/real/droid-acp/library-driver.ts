import type { ContentBlock, McpServer } from "@agentclientprotocol/sdk";
import {
  AcpClient,
  localTerminals,
  type PermissionDecision,
  type PermissionRequest,
  type Session,
} from "../../../src/entries/dragoman.ts";
import {
  afterUpdates,
  Driver,
  type DriverOptions,
  type Instructions,
  type Opened,
  type SessionTarget,
} from "./driver.ts";
import { FrameJudge, isJson, type Json } from "./judge.ts";

/** Drives an agent with our own client library. */
export class LibraryDriver extends Driver {
  protected readonly protocol: 1 | 2 = 1;
  readonly raw = undefined;
  readonly #options: DriverOptions;
  #client: AcpClient | undefined;

  constructor(options: DriverOptions) {
    super();
    this.#options = options;
  }

  async start(): Promise<Json> {
    const { channel, capabilities, answers, unstable } = this.#options;
    const { form } = answers;
    this.#client = await AcpClient.start({
      channel,
      capabilities,
      protocol: this.protocol,
      unstable,
      tap: this.saw,
      timeouts: { startMs: 60_000, requestMs: 100_000 },
      permissions: (request) => this.#decide(request),
      ...(capabilities.terminal === true ? { terminal: localTerminals() } : {}),
      ...(form && {
        elicitation: {
          form: ({ message, schema, sessionId, toolCallId, signal }) =>
            form({ mode: "form", message, requestedSchema: schema, sessionId, toolCallId }, signal),
        },
      }),
    });
    return this.#client.agent.raw;
  }

  authenticate(methodId: string): Promise<unknown> {
    return this.#live.authenticate(methodId);
  }

  open(cwd: string, mcpServers: McpServer[] = [], systemPrompt?: Instructions): Promise<Opened> {
    return this.#opened(this.#live.newSession({ cwd, mcpServers, systemPrompt }));
  }

  load(target: SessionTarget): Promise<Opened> {
    return this.#opened(this.#live.loadSession(target));
  }

  resume(target: SessionTarget): Promise<Opened> {
    return this.#opened(this.#live.resumeSession(target));
  }

  fork(target: SessionTarget): Promise<Opened> {
    return this.#opened(this.#live.forkSession(target));
  }

  close(sessionId: string): Promise<unknown> {
    return this.#live.session(sessionId).close();
  }

  delete(sessionId: string): Promise<unknown> {
    return this.#live.deleteSession(sessionId);
  }

  async list(cwd?: string): Promise<readonly Json[]> {
    const all: Json[] = [];
    for await (const info of this.#live.listSessions(cwd === undefined ? {} : { cwd }))
      all.push({ ...info });
    return all;
  }

  setTitle(sessionId: string, title: string): Promise<unknown> {
    return afterUpdates(this.#live.setSessionTitle(sessionId, title));
  }

  setMode(sessionId: string, modeId: string): Promise<unknown> {
    return afterUpdates(this.#live.session(sessionId).setMode(modeId));
  }

  async setOption(sessionId: string, configId: string, value: string): Promise<unknown> {
    const session = this.#live.session(sessionId);
    await afterUpdates(session.setConfigOption(configId, value));
    return session.configOptions;
  }

  async ask(sessionId: string, prompt: ContentBlock[]): Promise<Json> {
    const turn = this.#live.session(sessionId).prompt(prompt);
    return (await afterUpdates(turn.result)).raw;
  }

  cancel(sessionId: string): Promise<void> {
    return this.#live.session(sessionId).cancel();
  }

  async end(): Promise<unknown> {
    return this.#client?.close() ?? this.#options.channel.close();
  }

  get #live(): AcpClient {
    if (!this.#client) throw new Error("not started");
    return this.#client;
  }

  async #opened(opening: Promise<Session>): Promise<Opened> {
    const session = await opening;
    void this.#follow(session);
    await afterUpdates(opening);
    const { id: sessionId, modes, configOptions } = session;
    return { sessionId, modes, configOptions };
  }

  async #follow(session: Session): Promise<void> {
    try {
      for await (const event of session.updates())
        if ("raw" in event && isJson(event.raw)) this.received(session.id, event.raw);
    } catch {
      // The agent has ended, which the pending calls report.
    }
  }

  async #decide(request: PermissionRequest): Promise<PermissionDecision> {
    const { permission } = this.#options.answers;
    if (!permission) throw new Error("the test expects no permission request");
    const { session, toolCall, options, signal } = request;
    const params = { sessionId: session.id, toolCall, options: options.map(({ raw }) => raw) };
    const { outcome } = await permission(params, signal);
    return outcome.outcome === "selected" ? { optionId: outcome.optionId } : "cancel";
  }
}

/** Drives an agent with our own client library, on v2. */
export class LibraryV2Driver extends LibraryDriver {
  override readonly judge = new FrameJudge(2);
  protected override readonly protocol = 2;
}

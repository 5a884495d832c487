import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { Update } from "../../protocol/acp/index.ts";
import type { AcpClient, PromptTurn } from "../index.ts";
import { quiet } from "../../base/index.ts";
import { AcpUnsupportedError, toProviderError } from "./errors.ts";
import {
  type AcpModelSettings,
  type AcpPartMetadata,
  PROVIDER,
  readCallOptions,
} from "./options.ts";
import {
  type ConversationParts,
  HISTORY_WARNING,
  splitPrompt,
  SYSTEM_WARNING,
  toBlocks,
} from "./prompt.ts";
import {
  applySettings,
  type ClientStarter,
  currentModel,
  type ModelSessions,
  type ReadySession,
} from "./sessions.ts";
import { finishMetadata, finishReason, PartStream, turnUsage, UNKNOWN_USAGE } from "./stream.ts";

/** The part of a provider that its models share. */
export interface CallHost {
  readonly starter: ClientStarter;
  readonly sessions: ModelSessions;
  /** The calls whose turns have not ended yet. */
  readonly running: Set<ModelCall>;
}

/** One call of a model: one turn of a session, as parts. */
export class ModelCall {
  readonly #ready: ReadySession;
  readonly #turn: PromptTurn;
  readonly #updates: AsyncIterator<Update>;
  #first: Promise<IteratorResult<Update>> | undefined;
  readonly #parts: PartStream;
  readonly #origin: AcpPartMetadata;
  readonly #release: () => void;
  #queue: readonly LanguageModelV4StreamPart[];
  #over = false;

  /** Sends the prompt. Rejects if that is not possible, or if the call is aborted first. */
  static async start(
    { starter, sessions, running }: CallHost,
    modelId: string,
    settings: AcpModelSettings,
    options: LanguageModelV4CallOptions,
  ): Promise<ModelCall> {
    const { abortSignal: signal, prompt, providerOptions, headers } = options;
    assertSupportedSdk(headers);
    const conversation = splitPrompt(prompt);
    const { sessionId = settings.sessionId } = readCallOptions(providerOptions);
    const client = await starter.client(signal);
    const ready = await openSession(client, sessions, sessionId, conversation, signal);
    let call: ModelCall | undefined;
    let released = false;
    const release = (): void => {
      if (!released) sessions.release(client, ready);
      released = true;
      if (call) running.delete(call);
    };
    try {
      await applySettings(ready.session, modelId, settings, { signal });
      signal?.throwIfAborted();
      call = new ModelCall(client, ready, conversation, options, release);
      running.add(call);
      return call;
    } catch (error) {
      release();
      throw error;
    }
  }

  private constructor(
    client: AcpClient,
    ready: ReadySession,
    { system, earlier, latest }: ConversationParts,
    options: LanguageModelV4CallOptions,
    release: () => void,
  ) {
    const { session, known, continued } = ready;
    const newSystem = system === known.system ? "" : system;
    const unknown = continued ? [] : earlier;
    const { responseFormat, abortSignal: signal } = options;
    const blocks = toBlocks(
      { system: newSystem, earlier: unknown, latest, responseFormat },
      client.agent.capabilities.promptCapabilities ?? {},
    );
    this.#ready = ready;
    this.#release = () => {
      signal?.removeEventListener("abort", this.cancel);
      release();
    };
    this.#turn = session.prompt(blocks, { whenBusy: "wait", signal });
    this.#updates = this.#turn[Symbol.asyncIterator]();
    // Reads the first update at once, because a turn drops updates until it has a reader.
    this.#first = quiet(this.#updates.next());
    known.system = system;
    this.#origin = { sessionId: session.id, turnId: crypto.randomUUID() };
    this.#parts = new PartStream({
      origin: this.#origin,
      takenNames: new Set(options.tools?.map(({ name }) => name)),
      raw: options.includeRawChunks === true,
    });
    const warnings: SharedV4Warning[] = [
      ...settingWarnings(options),
      ...(newSystem === "" ? [] : [SYSTEM_WARNING]),
      ...(unknown.length === 0 ? [] : [HISTORY_WARNING]),
    ];
    const modelId = currentModel(session);
    this.#queue = [
      { type: "stream-start", warnings },
      {
        type: "response-metadata",
        id: this.#origin.turnId,
        timestamp: new Date(),
        ...(modelId !== undefined && { modelId }),
      },
    ];
    signal?.addEventListener("abort", this.cancel, { once: true });
  }

  /** The next parts, or undefined after the last ones. Rejects with the errors of the turn. */
  async next(): Promise<readonly LanguageModelV4StreamPart[] | undefined> {
    while (this.#queue.length === 0 && !this.#over) {
      const read = this.#first ?? this.#updates.next();
      this.#first = undefined;
      const { done, value } = await read;
      this.#queue = done === true ? await this.#end() : this.#parts.change(value);
    }
    const parts = this.#queue;
    this.#queue = [];
    return parts.length === 0 ? undefined : parts;
  }

  /** Notes that the program has received a part of the answer, which it may pass back later. */
  seen(): void {
    this.#ready.known.turnId = this.#origin.turnId;
  }

  /** Cancels the turn if it is still running, and releases the session when the turn has ended. */
  readonly cancel = (): void => {
    void this.#turn.cancel().then(this.#release);
  };

  /** The last parts of a call that failed. */
  failed(error: unknown): readonly LanguageModelV4StreamPart[] {
    return [
      ...this.#parts.end(),
      { type: "error", error: toProviderError(error) },
      {
        type: "finish",
        finishReason: { unified: "error", raw: undefined },
        usage: UNKNOWN_USAGE,
        providerMetadata: { [PROVIDER]: { ...this.#origin } },
      },
    ];
  }

  async #end(): Promise<LanguageModelV4StreamPart[]> {
    const { stopReason, raw } = await this.#turn.result;
    this.#over = true;
    this.#release();
    return [
      ...this.#parts.end(),
      {
        type: "finish",
        finishReason: finishReason(stopReason),
        usage: turnUsage(raw),
        providerMetadata: finishMetadata({
          ...this.#origin,
          stopReason,
          plan: this.#parts.plan,
          context: this.#ready.session.contextUsage,
          cost: this.#ready.session.cost,
        }),
      },
    ];
  }
}

async function openSession(
  client: AcpClient,
  sessions: ModelSessions,
  sessionId: string | undefined,
  { origin }: ConversationParts,
  signal: AbortSignal | undefined,
): Promise<ReadySession> {
  if (sessionId !== undefined) return sessions.named(client, sessionId, signal);
  const known = sessions.find(origin);
  const continued = known && (await sessions.continued(client, known, signal));
  return continued ?? sessions.start(client, signal);
}

/** Settings of a model that ACP has no counterpart for. */
const SAMPLING = [
  "maxOutputTokens",
  "temperature",
  "stopSequences",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
] as const;

/** The part of a call that is ignored or only imitated, as warnings of the AI SDK. Pure. */
export function settingWarnings(options: LanguageModelV4CallOptions): SharedV4Warning[] {
  const { tools, toolChoice, reasoning, responseFormat } = options;
  const unsupported = (feature: string, details: string): SharedV4Warning => ({
    type: "unsupported",
    feature,
    details,
  });
  return [
    ...SAMPLING.filter((name) => options[name] !== undefined).map((name) =>
      unsupported(name, "An agent chooses the settings of its model itself."),
    ),
    ...(tools === undefined || tools.length === 0
      ? []
      : [unsupported("tools", "An agent uses its own tools. Pass yours as an MCP server.")]),
    ...(toolChoice === undefined || toolChoice.type === "auto"
      ? []
      : [unsupported("toolChoice", "An agent decides itself which tools to use.")]),
    ...(reasoning === undefined || reasoning === "provider-default"
      ? []
      : [unsupported("reasoning", "Set an option of the session instead, if the agent has one.")]),
    ...(hasHeaders(options.headers)
      ? [unsupported("headers", "An agent is not reached over HTTP.")]
      : []),
    ...(responseFormat?.type === "json" ? [jsonWarning] : []),
  ];
}

const jsonWarning: SharedV4Warning = {
  type: "compatibility",
  feature: "responseFormat",
  details: "The prompt asks the agent for JSON, which it may ignore.",
};

type Headers = LanguageModelV4CallOptions["headers"];

/** The AI SDK itself always adds a user agent. */
function hasHeaders(headers: Headers): boolean {
  return Object.entries(headers ?? {}).some(
    ([name, value]) => value !== undefined && !isUserAgent(name),
  );
}

function isUserAgent(header: string): boolean {
  return header.toLowerCase() === "user-agent";
}

/** The major version of the AI SDK whose calls and answers a model of this provider understands. */
const SDK_MAJOR = 7;

/**
 * Throws AcpUnsupportedError for a call by an older AI SDK. `ai` 6 rejects the model itself, but not if a
 * middleware wraps the model; its calls have other shapes then.
 */
function assertSupportedSdk(headers: Headers): void {
  const userAgent = Object.entries(headers ?? {}).find(([name]) => isUserAgent(name))?.[1];
  const major = /(?:^|\s)ai\/(\d+)\./.exec(userAgent ?? "")?.[1];
  if (major === undefined || Number(major) >= SDK_MAJOR) return;
  throw new AcpUnsupportedError(
    `ai ${major}`,
    `dragoman/ai needs version ${SDK_MAJOR} of the package "ai", but version ${major} made this call; install ai@${SDK_MAJOR}, which supports Node 22 and newer`,
  );
}

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Reasoning,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4Text,
} from "@ai-sdk/provider";
import { quietly, toError, unlessAborted } from "../../base/index.ts";
import { toProviderError } from "./errors.ts";
import { type AcpModelSettings, PROVIDER } from "./options.ts";
import { type CallHost, ModelCall } from "./call.ts";
import { UNKNOWN_USAGE } from "./stream.ts";

/** An agent as a language model of the AI SDK. Each call is one turn of a session. */
export class AcpLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = PROVIDER;
  readonly modelId: string;
  /** Links are passed on, so the AI SDK need not download anything. */
  readonly supportedUrls = { "*/*": [/^(?:https?|file):/] };
  readonly #host: CallHost;
  readonly #settings: AcpModelSettings;

  constructor(host: CallHost, modelId: string, settings: AcpModelSettings) {
    this.#host = host;
    this.modelId = modelId;
    this.#settings = settings;
  }

  doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    return quietly(async () => {
      const call = await this.#start(options);
      const collector = new ContentCollector();
      try {
        for (;;) {
          const parts = await nextParts(call, options.abortSignal);
          if (!parts) break;
          for (const part of parts) collector.add(part);
        }
      } catch (error) {
        call.cancel();
        throw failure(error, options.abortSignal);
      }
      if (collector.result.content.length > 0) call.seen();
      const isJson = options.responseFormat?.type === "json";
      return {
        ...collector.result,
        ...(isJson && { structuredOutputText: collector.finalText }),
      };
    });
  }

  doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    return quietly(async () => {
      const call = await this.#start(options);
      return { stream: streamOf(call, options.abortSignal) };
    });
  }

  async #start(options: LanguageModelV4CallOptions): Promise<ModelCall> {
    const { abortSignal } = options;
    try {
      abortSignal?.throwIfAborted();
      return await ModelCall.start(this.#host, this.modelId, this.#settings, options);
    } catch (error) {
      throw failure(error, abortSignal);
    }
  }
}

/** A stream that reads from the agent only as fast as the program reads from it. */
function streamOf(
  call: ModelCall,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      pull: async (controller) => {
        try {
          const parts = await nextParts(call, signal);
          if (!parts) return controller.close();
          if (parts.some((part) => isContent(part))) call.seen();
          for (const part of parts) controller.enqueue(part);
        } catch (error) {
          call.cancel();
          if (signal?.aborted) return controller.error(signal.reason);
          for (const part of call.failed(error)) controller.enqueue(part);
          controller.close();
        }
      },
      cancel: () => call.cancel(),
    },
    { highWaterMark: 0 },
  );
}

/** Whether a part becomes part of the message that the program may pass back later. */
function isContent({ type }: LanguageModelV4StreamPart): boolean {
  return !["stream-start", "response-metadata", "raw", "finish"].includes(type);
}

/** An abort takes effect at once, even if the agent needs time to end the turn. */
function nextParts(
  call: ModelCall,
  signal: AbortSignal | undefined,
): Promise<readonly LanguageModelV4StreamPart[] | undefined> {
  return signal ? unlessAborted(call.next(), signal) : call.next();
}

function failure(error: unknown, signal: AbortSignal | undefined): Error {
  return signal?.aborted ? toError(signal.reason) : toProviderError(error);
}

/** Collects the parts of a stream as one answer. */
export class ContentCollector {
  #content: LanguageModelV4Content[] = [];
  #rest: Omit<LanguageModelV4GenerateResult, "content"> = {
    finishReason: { unified: "interrupted", raw: undefined },
    usage: UNKNOWN_USAGE,
    warnings: [],
  };
  /** The text that is growing. Other parts may arrive in the middle of it. */
  #open: LanguageModelV4Text | LanguageModelV4Reasoning | undefined;

  get result(): LanguageModelV4GenerateResult {
    return { content: this.#content, ...this.#rest };
  }

  /** The text after the last tool call, without a Markdown fence. A JSON answer is in there. */
  get finalText(): string {
    const from = this.#content.findLastIndex(({ type }) => type === "tool-result") + 1;
    const texts = this.#content.slice(from).map((part) => (part.type === "text" ? part.text : ""));
    const text = texts.join("").trim();
    return FENCED.exec(text)?.[1] ?? text;
  }

  /** Adds a part. Parts that only matter while a stream is running are ignored. */
  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const type = part.type === "text-start" ? "text" : "reasoning";
        const { providerMetadata } = part;
        const started = { type, text: "", ...(providerMetadata && { providerMetadata }) } as const;
        this.#open = started;
        this.#content.push(started);
        return;
      }
      case "text-delta":
      case "reasoning-delta":
        if (this.#open) this.#open.text += part.delta;
        return;
      case "custom":
        // Each plan replaces the one before.
        if (part.kind === `${PROVIDER}.plan`) {
          this.#content = this.#content.filter(
            (other) => other.type !== "custom" || other.kind !== part.kind,
          );
        }
        this.#content.push(part);
        return;
      case "file":
      case "reasoning-file":
      case "source":
      case "tool-call":
      case "tool-result":
      case "tool-approval-request":
        this.#content.push(part);
        return;
      case "stream-start":
        this.#rest.warnings = part.warnings;
        return;
      case "response-metadata": {
        const { type: _type, ...response } = part;
        this.#rest.response = response;
        return;
      }
      case "finish": {
        const { type: _type, ...end } = part;
        this.#rest = { ...this.#rest, ...end };
        return;
      }
      case "text-end":
      case "reasoning-end":
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
      case "ping":
      case "raw":
      case "error":
        return;
      default:
        part satisfies never;
    }
  }
}

const FENCED = /^```\w*\n([^]*)\n```$/;

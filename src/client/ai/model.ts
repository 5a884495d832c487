import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { quietly, toError, unlessAborted } from "../../base/index.ts";
import { toProviderError } from "./errors.ts";
import { type AcpModelSettings, PROVIDER } from "./options.ts";
import { type CallHost, ModelCall } from "./call.ts";
import { ContentCollector } from "./stream/collect.ts";

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

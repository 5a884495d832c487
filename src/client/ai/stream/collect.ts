import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Reasoning,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
} from "@ai-sdk/provider";
import { PROVIDER } from "../options.ts";
import { UNKNOWN_USAGE } from "./finish.ts";

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

  /** The answer so far. */
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

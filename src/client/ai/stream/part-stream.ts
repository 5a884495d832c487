import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import {
  type ContentBlock,
  type MessagePosition,
  nextMessage,
  type PlanEntry,
  type Update,
} from "../../../protocol/acp/index.ts";
import { toJsonObject } from "../json.ts";
import { type AcpPartMetadata, PROVIDER } from "../options.ts";
import { contentPart } from "./content-parts.ts";
import { ToolParts } from "./tool-parts.ts";

/** Values in `providerMetadata.dragoman` of a `dragoman.plan` part. */
export interface AcpPlanMetadata extends AcpPartMetadata {
  /** The whole plan. It replaces the one before. */
  readonly plan: readonly PlanEntry[];
}

/** Values in `providerMetadata.dragoman` of a `dragoman.notice` part. */
export interface AcpNoticeMetadata extends AcpPartMetadata {
  /** `info`, `warning`, `error`, or the agent's own word. */
  readonly severity: string;
  /** The notice in a few words. */
  readonly title: string;
  /** More about it; null if the agent sent nothing. */
  readonly description: string | null;
}

export interface PartStreamOptions {
  readonly origin: AcpPartMetadata;
  /** The names of the tools that the program passed. */
  readonly takenNames: ReadonlySet<string>;
  /** Whether each update is passed on unchanged as well. */
  readonly raw: boolean;
}

type Block = "text" | "reasoning";

/** Turns the updates of one turn into the parts of a language model's stream. */
export class PartStream {
  readonly #options: PartStreamOptions;
  readonly #metadata: SharedV4ProviderMetadata;
  readonly #tools: ToolParts;
  #message: MessagePosition | undefined;
  #open: { readonly block: Block; readonly id: string } | undefined;
  #ids = 0;
  #plan: readonly PlanEntry[] | undefined;

  constructor(options: PartStreamOptions) {
    this.#options = options;
    this.#metadata = { [PROVIDER]: { ...options.origin } };
    this.#tools = new ToolParts(options.origin, options.takenNames);
  }

  /** The last plan of the turn; undefined if there was none. */
  get plan(): readonly PlanEntry[] | undefined {
    return this.#plan;
  }

  /** The parts for an update, in order. */
  change(update: Update): LanguageModelV4StreamPart[] {
    const raw: LanguageModelV4StreamPart[] = this.#options.raw
      ? [{ type: "raw", rawValue: update.raw }]
      : [];
    return [...raw, ...this.#translate(update)];
  }

  /** Ends everything that is still open. */
  end(): LanguageModelV4StreamPart[] {
    return [...this.#close(), ...this.#tools.end()];
  }

  #translate(update: Update): LanguageModelV4StreamPart[] {
    const before = this.#message;
    this.#message = nextMessage(before, update);
    switch (update.type) {
      case "agent_message_chunk":
        return this.#chunk("text", update.content, this.#message !== before);
      case "agent_thought_chunk":
        return this.#chunk("reasoning", update.content, this.#message !== before);
      case "tool_call":
      case "tool_call_update": {
        const parts = this.#tools.change(update);
        return parts.length === 0 ? [] : [...this.#close(), ...parts];
      }
      case "plan":
        return this.#planChange(update.entries);
      case "plan_update":
        return update.plan.type === "items" ? this.#planChange(update.plan.entries) : [];
      case "notice": {
        const { severity, title, description = null } = update;
        return [this.#custom("notice", { severity, title, description })];
      }
      // The AI SDK has no part for the others.
      default:
        return [];
    }
  }

  #planChange(entries: readonly PlanEntry[]): LanguageModelV4StreamPart[] {
    this.#plan = entries;
    return [this.#custom("plan", { plan: entries })];
  }

  #chunk(block: Block, content: ContentBlock, isNew: boolean): LanguageModelV4StreamPart[] {
    if (content.type !== "text") {
      const part = contentPart(content, this.#nextId(), this.#metadata);
      const hidden = block === "reasoning" && part.type === "file";
      return [...this.#close(), hidden ? { ...part, type: "reasoning-file" } : part];
    }
    if (content.text === "") return [];
    const started = isNew || this.#open?.block !== block ? this.#start(block) : [];
    const id = this.#open?.id ?? "";
    return [...started, { type: `${block}-delta`, id, delta: content.text }];
  }

  #start(block: Block): LanguageModelV4StreamPart[] {
    const closed = this.#close();
    const id = this.#nextId();
    this.#open = { block, id };
    return [...closed, { type: `${block}-start`, id, providerMetadata: this.#metadata }];
  }

  #close(): LanguageModelV4StreamPart[] {
    if (!this.#open) return [];
    const { block, id } = this.#open;
    this.#open = undefined;
    return [{ type: `${block}-end`, id }];
  }

  #nextId(): string {
    this.#ids += 1;
    return `${this.#options.origin.turnId}-${this.#ids}`;
  }

  #custom(
    kind: "plan" | "notice",
    values:
      | Omit<AcpPlanMetadata, keyof AcpPartMetadata>
      | Omit<AcpNoticeMetadata, keyof AcpPartMetadata>,
  ): LanguageModelV4StreamPart {
    return {
      type: "custom",
      kind: `${PROVIDER}.${kind}`,
      providerMetadata: { [PROVIDER]: { ...this.#options.origin, ...toJsonObject(values) } },
    };
  }
}

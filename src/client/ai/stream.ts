import type {
  JSONObject,
  JSONValue,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import {
  type ContentBlock,
  isFinished,
  BoundedMap,
  mergeToolCall,
  type MessagePosition,
  nextMessagePosition,
  type PlanEntry,
  TOOL_CALL_RULES,
  type ToolCallChange,
  type ToolCallContent,
  type ToolCallLocation,
  type ToolCallState,
  type ToolKind,
  isAnyUpdate,
  type AnyUpdate,
  type Update,
  type ContextUsage,
  type Cost,
} from "../../protocol/acp/index.ts";
import { type AcpPartMetadata, PROVIDER } from "./options.ts";
import { type JsonObject, numberField, objectField } from "../../base/index.ts";

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

interface PartStreamOptions {
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

  get plan(): readonly PlanEntry[] | undefined {
    return this.#plan;
  }

  /** The parts for an update, in order. */
  change(update: Update): LanguageModelV4StreamPart[] {
    const raw: LanguageModelV4StreamPart[] = this.#options.raw
      ? [{ type: "raw", rawValue: update.raw }]
      : [];
    return isAnyUpdate(update) ? [...raw, ...this.#translate(update)] : raw;
  }

  /** Ends everything that is still open. */
  end(): LanguageModelV4StreamPart[] {
    return [...this.#close(), ...this.#tools.end()];
  }

  #translate(update: AnyUpdate): LanguageModelV4StreamPart[] {
    const before = this.#message;
    this.#message = nextMessagePosition(before, update);
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

/** The output of a tool call, as `part.output` in a UI. */
export interface AcpToolOutput {
  /** The content that the agent shows for the call: text, images, diffs, terminals. */
  readonly content: readonly ToolCallContent[];
  /** The files that the call touched. */
  readonly locations: readonly ToolCallLocation[];
  /** The agent's own output; null if it sent none. */
  readonly rawOutput: unknown;
}

/** Values in `providerMetadata.dragoman` of a tool call and its result. */
export interface AcpToolMetadata extends AcpPartMetadata {
  /** A sentence for people. Never base a decision on it. */
  readonly title: string;
  /** The kind of the tool, such as `read` or `execute`. */
  readonly kind: ToolKind;
  /** The files that the call touches. */
  readonly locations: readonly ToolCallLocation[];
}

/** How far a tool call has been passed on. */
interface PassedCall {
  readonly call: ToolCallState;
  /** `started`: the UI knows its name. `called`: also its input. `ended`: also its result. */
  readonly stage: "started" | "called" | "ended";
}

/**
 * Passes tool calls on as parts. A part of a call cannot be changed later, but an agent may change
 * everything about a call. So the input follows when the call leaves `pending`, and the result when
 * it has ended. Progress in between is not passed on: `ai` 7.0.169 takes a preliminary result of a tool
 * that the provider executes for the final one.
 */
class ToolParts {
  readonly #origin: AcpPartMetadata;
  readonly #takenNames: ReadonlySet<string>;
  /** The newest calls, so that memory does not grow with the turn. */
  readonly #calls = new BoundedMap<PassedCall>({
    ...TOOL_CALL_RULES,
    weigh: ({ call }) => TOOL_CALL_RULES.weigh(call),
    isOver: ({ stage }) => stage === "ended",
    trim: (passed) => ({ ...passed, call: TOOL_CALL_RULES.trim(passed.call) }),
  });

  /** Tools of the program must not be confused with tools of the agent, so their names are taken. */
  constructor(origin: AcpPartMetadata, takenNames: ReadonlySet<string>) {
    this.#origin = origin;
    this.#takenNames = takenNames;
  }

  change(update: ToolCallChange): LanguageModelV4StreamPart[] {
    const known = this.#calls.get(update.toolCallId);
    if (known?.stage === "ended") return [];
    const call = mergeToolCall(known?.call, update);
    const parts = known ? [] : [this.#start(call)];
    if (call.status === "pending") {
      this.#calls.set(call.toolCallId, { call, stage: "started" });
      return parts;
    }
    if (known?.stage !== "called") parts.push(...this.#call(call));
    const ended = isFinished(call.status);
    if (ended) parts.push(this.#result(call));
    this.#calls.set(
      call.toolCallId,
      ended ? { call: TOOL_CALL_RULES.trim(call), stage: "ended" } : { call, stage: "called" },
    );
    return parts;
  }

  /** Ends the calls that the agent left open when the turn ended. */
  end(): LanguageModelV4StreamPart[] {
    return [...this.#calls.values()].flatMap(({ call, stage }) => {
      if (stage === "ended") return [];
      const cancelled: ToolCallState = { ...call, status: "cancelled" };
      const result = this.#result(cancelled);
      return stage === "called" ? [result] : [...this.#call(cancelled), result];
    });
  }

  #start(call: ToolCallState): LanguageModelV4StreamPart {
    return {
      type: "tool-input-start",
      id: call.toolCallId,
      toolName: this.#nameOf(call),
      providerExecuted: true,
      dynamic: true,
      title: call.title,
      providerMetadata: this.#metadata(call),
    };
  }

  #call(call: ToolCallState): LanguageModelV4StreamPart[] {
    return [
      { type: "tool-input-end", id: call.toolCallId },
      {
        type: "tool-call",
        toolCallId: call.toolCallId,
        toolName: this.#nameOf(call),
        input: JSON.stringify(toJson(call.rawInput ?? {})),
        providerExecuted: true,
        dynamic: true,
        providerMetadata: this.#metadata(call),
      },
    ];
  }

  #result(call: ToolCallState): LanguageModelV4StreamPart {
    const output: AcpToolOutput = {
      content: call.content,
      locations: call.locations,
      rawOutput: call.rawOutput ?? null,
    };
    const failed = call.status !== "completed";
    return {
      type: "tool-result",
      toolCallId: call.toolCallId,
      toolName: this.#nameOf(call),
      // A UI shows the error of a tool as text.
      result: failed ? failureOf(call) : toJsonObject(output),
      isError: failed,
      dynamic: true,
      providerMetadata: this.#metadata(call),
    };
  }

  #nameOf({ name, kind }: ToolCallState): string {
    const known = name ?? kind;
    return this.#takenNames.has(known) ? `agent_${known}` : known;
  }

  #metadata({ title, kind, locations }: ToolCallState): SharedV4ProviderMetadata {
    const metadata: AcpToolMetadata = { ...this.#origin, title, kind, locations };
    return { [PROVIDER]: toJsonObject(metadata) };
  }
}

function failureOf({ status, title, content, rawOutput }: ToolCallState): string {
  if (status === "cancelled") return "the turn ended before the tool call did";
  const texts = content.flatMap((item) =>
    item.type === "content" && item.content.type === "text" ? [item.content.text] : [],
  );
  if (texts.length > 0) return texts.join("\n");
  if (typeof rawOutput === "string" && rawOutput !== "") return rawOutput;
  if (rawOutput !== undefined) return JSON.stringify(toJson(rawOutput));
  return title === "" ? "the tool call failed" : `the tool call failed: ${title}`;
}

/**
 * The part for a content block other than text: images, audio and embedded resources become files,
 * links become sources. `id` must be unique in the turn. Pure.
 */
function contentPart(
  block: Exclude<ContentBlock, { type: "text" }>,
  id: string,
  providerMetadata: SharedV4ProviderMetadata,
): LanguageModelV4StreamPart {
  switch (block.type) {
    case "image":
    case "audio":
      return file(block.mimeType, block.data, providerMetadata);
    case "resource": {
      const { resource } = block;
      return "blob" in resource
        ? file(resource.mimeType ?? "application/octet-stream", resource.blob, providerMetadata)
        : file(
            resource.mimeType ?? "text/plain",
            new TextEncoder().encode(resource.text),
            providerMetadata,
          );
    }
    case "resource_link": {
      const title = block.title ?? block.name;
      const source = { type: "source", id, title, providerMetadata } as const;
      if (/^https?:/i.test(block.uri)) return { ...source, sourceType: "url", url: block.uri };
      const mediaType = block.mimeType ?? "application/octet-stream";
      return { ...source, sourceType: "document", mediaType, filename: block.uri };
    }
  }
}

function file(
  mediaType: string,
  data: string | Uint8Array,
  providerMetadata: SharedV4ProviderMetadata,
): LanguageModelV4StreamPart {
  return { type: "file", mediaType, data: { type: "data", data }, providerMetadata };
}

/** Values in `providerMetadata.dragoman` of a finished call. */
export interface AcpFinishMetadata extends AcpPartMetadata {
  /** The agent's stop reason, such as `end_turn`. */
  readonly stopReason: string;
  /** The last plan of the turn. */
  readonly plan?: readonly PlanEntry[] | undefined;
  /** How full the context of the session is. */
  readonly context?: ContextUsage | undefined;
  /** What the session has cost so far. */
  readonly cost?: Cost | undefined;
}

/** The AI SDK's word for the end of a turn. Pure. */
export function finishReason(stopReason: string): LanguageModelV4FinishReason {
  return { unified: UNIFIED[stopReason] ?? "other", raw: stopReason };
}

const UNIFIED: Readonly<Record<string, LanguageModelV4FinishReason["unified"] | undefined>> = {
  end_turn: "stop",
  max_tokens: "length",
  refusal: "content-filter",
};

/** The tokens of a turn, from the answer to its prompt. Agents that do not report them leave everything undefined. Pure. */
export function turnUsage(answer: JsonObject): LanguageModelV4Usage {
  const tokens = objectField(answer, "usage");
  if (!tokens) return UNKNOWN_USAGE;
  const count = (name: string): number | undefined => numberField(tokens, name);
  return {
    inputTokens: {
      total: count("inputTokens"),
      noCache: undefined,
      cacheRead: count("cachedReadTokens"),
      cacheWrite: count("cachedWriteTokens"),
    },
    outputTokens: {
      total: count("outputTokens"),
      text: undefined,
      reasoning: count("thoughtTokens"),
    },
    raw: toJsonObject(tokens),
  };
}

/** The usage of a turn that has not ended properly. */
export const UNKNOWN_USAGE: LanguageModelV4Usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

export function finishMetadata(metadata: AcpFinishMetadata): SharedV4ProviderMetadata {
  return { [PROVIDER]: toJsonObject(metadata) };
}

/** A copy of a value that contains only JSON. Null if the value itself cannot be written as JSON. */
function toJson(value: unknown): JSONValue {
  if (Array.isArray(value)) return value.map((item) => toJson(item));
  if (typeof value === "object" && value !== null) return toJsonObject(value);
  if (typeof value === "string" || typeof value === "boolean") return value;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** The fields of an object as JSON, without those that are undefined. */
function toJsonObject(value: object): JSONObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([key, field]) => [key, toJson(field)]),
  );
}

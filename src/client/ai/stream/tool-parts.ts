import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import {
  isFinished,
  KeptMap,
  mergeToolCall,
  TOOL_CALL_RULES,
  type ToolCallChange,
  type ToolCallContent,
  type ToolCallLocation,
  type ToolCallState,
  type ToolKind,
} from "../../../protocol/acp/index.ts";
import { toJson, toJsonObject } from "../json.ts";
import { type AcpPartMetadata, PROVIDER } from "../options.ts";

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
export class ToolParts {
  readonly #origin: AcpPartMetadata;
  readonly #takenNames: ReadonlySet<string>;
  /** The newest calls, so that memory does not grow with the turn. */
  readonly #calls = new KeptMap<PassedCall>({
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

  /** The parts for an update of a tool call. */
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

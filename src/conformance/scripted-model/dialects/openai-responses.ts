import { blockEvents, blocksOf, type Block } from "./blocks.ts";
import { sse, type Dialect, type ReplyContext } from "./dialect.ts";
import type { Reply, WireItem } from "../reply.ts";
import type { ReplyUsage } from "../script-parts.ts";
import { openaiError } from "./openai-chat.ts";

export const openaiResponses: Dialect = {
  name: "openai-responses",
  stream: streamResponse,
  whole: (reply, context) => finalResponse(reply, context),
  errorBody: openaiError,
};

type Push = (type: string, fields: object, content?: boolean) => void;

function streamResponse(reply: Reply, context: ReplyContext): WireItem[] {
  const items: WireItem[] = [];
  let sequence = 0;
  const push: Push = (type, fields, content = false) => {
    items.push({
      kind: "send",
      data: sse({ type, sequence_number: sequence, ...fields }, type),
      content,
    });
    sequence += 1;
  };
  const start = (): void => {
    const response = { ...envelope(context), status: "in_progress", output: [], usage: null };
    push("response.created", { response });
    push("response.in_progress", { response });
  };
  let started = false;
  for (const event of blockEvents(reply)) {
    if (event.at === "control") {
      items.push(event.control);
      continue;
    }
    if (!started) start();
    started = true;
    const position = { item_id: itemId(context, event.index), output_index: event.index };
    if (event.at === "open") openItem(push, event.block, position);
    else if (event.at === "delta") deltaItem(push, event.block, position, event.text);
    else closeItem(push, event.block, position);
  }
  if (!started) start();
  const response = finalResponse(reply, context);
  const isCut = reply.finish === "length" || reply.finish === "filtered";
  push(isCut ? "response.incomplete" : "response.completed", { response });
  return items;
}

interface Position {
  readonly item_id: string;
  readonly output_index: number;
}

type TextBlock = Extract<Block, { readonly text: string }>;

/** The words with which the events of a text or a summary differ. */
const TEXTS = {
  text: { name: "output_text", part: "content_part", index: { content_index: 0 } },
  thinking: {
    name: "reasoning_summary_text",
    part: "reasoning_summary_part",
    index: { summary_index: 0 },
  },
} as const;

function openItem(push: Push, block: Block, position: Position): void {
  const { item_id, output_index } = position;
  push("response.output_item.added", { output_index, item: itemOf(block, item_id, false) });
  if (block.kind === "tool") return;
  const { part, index } = TEXTS[block.kind];
  push(`response.${part}.added`, { ...position, ...index, part: partOf(block, "") });
}

function deltaItem(push: Push, block: Block, position: Position, delta: string): void {
  if (block.kind === "tool")
    return push("response.function_call_arguments.delta", { ...position, delta }, true);
  const { name, index } = TEXTS[block.kind];
  push(`response.${name}.delta`, { ...position, ...index, delta, ...logsOf(block) }, true);
}

function closeItem(push: Push, block: Block, position: Position): void {
  const { item_id, output_index } = position;
  if (block.kind === "tool") {
    const call = { name: block.name, arguments: block.argumentsText };
    push("response.function_call_arguments.done", { ...position, ...call });
  } else {
    const { name, part, index } = TEXTS[block.kind];
    const { text } = block;
    push(`response.${name}.done`, { ...position, ...index, text, ...logsOf(block) });
    push(`response.${part}.done`, { ...position, ...index, part: partOf(block, text) });
  }
  push("response.output_item.done", { output_index, item: itemOf(block, item_id, true) });
}

function logsOf({ kind }: TextBlock): object {
  return kind === "text" ? { logprobs: [] } : {};
}

function partOf({ kind }: TextBlock, text: string): object {
  return kind === "text"
    ? { type: "output_text", text, annotations: [] }
    : { type: "summary_text", text };
}

function finalResponse(reply: Reply, context: ReplyContext): object {
  const incomplete = {
    length: "max_output_tokens",
    filtered: "content_filter",
    stop: null,
    tool_calls: null,
  }[reply.finish];
  return {
    ...envelope(context),
    status: incomplete === null ? "completed" : "incomplete",
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    output: blocksOf(reply).map((block, index) => itemOf(block, itemId(context, index), true)),
    usage: responseUsage(reply.usage),
  };
}

function envelope(context: ReplyContext): object {
  return {
    id: context.id,
    object: "response",
    created_at: 0,
    model: context.model,
    error: null,
    incomplete_details: null,
    parallel_tool_calls: true,
  };
}

function itemId(context: ReplyContext, index: number): string {
  return `${context.id}_item_${index}`;
}

/** An item of the output, when it begins or when it is done. */
function itemOf(block: Block, id: string, isDone: boolean): object {
  const status = isDone ? "completed" : "in_progress";
  if (block.kind === "tool") {
    const call = { call_id: block.id, name: block.name };
    return {
      id,
      type: "function_call",
      status,
      ...call,
      arguments: isDone ? block.argumentsText : "",
    };
  }
  const parts = isDone ? [partOf(block, block.text)] : [];
  return block.kind === "text"
    ? { id, type: "message", status, role: "assistant", content: parts }
    : { id, type: "reasoning", summary: parts };
}

function responseUsage(usage: ReplyUsage): object {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cachedInput },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}

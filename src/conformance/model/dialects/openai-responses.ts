import { blockEvents, blocksOf, type Block } from "./blocks.ts";
import { errorText, sse, type Dialect, type ReplyContext } from "./dialect.ts";
import type { Reply, WireItem } from "../reply.ts";
import type { ReplyUsage } from "../script.ts";

export const openaiResponses: Dialect = {
  name: "openai-responses",
  stream: streamResponse,
  whole: (reply, context) => finalResponse(reply, context),
  errorBody: (status) => ({
    error: { message: errorText(status), type: "scripted_error", code: String(status) },
  }),
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
  push(
    reply.finish === "length" || reply.finish === "filtered"
      ? "response.incomplete"
      : "response.completed",
    {
      response,
    },
  );
  return items;
}

interface Position {
  readonly item_id: string;
  readonly output_index: number;
}

function openItem(push: Push, block: Block, position: Position): void {
  const { item_id, output_index } = position;
  push("response.output_item.added", { output_index, item: emptyItem(block, item_id) });
  if (block.kind === "text") {
    const part = { type: "output_text", text: "", annotations: [] };
    push("response.content_part.added", { ...position, content_index: 0, part });
  } else if (block.kind === "thinking") {
    const part = { type: "summary_text", text: "" };
    push("response.reasoning_summary_part.added", { ...position, summary_index: 0, part });
  }
}

function deltaItem(push: Push, block: Block, position: Position, delta: string): void {
  switch (block.kind) {
    case "text":
      return push(
        "response.output_text.delta",
        { ...position, content_index: 0, delta, logprobs: [] },
        true,
      );
    case "thinking":
      return push(
        "response.reasoning_summary_text.delta",
        { ...position, summary_index: 0, delta },
        true,
      );
    case "tool":
      return push("response.function_call_arguments.delta", { ...position, delta }, true);
  }
}

function closeItem(push: Push, block: Block, position: Position): void {
  const { item_id, output_index } = position;
  if (block.kind === "text") {
    const part = { type: "output_text", text: block.text, annotations: [] };
    push("response.output_text.done", {
      ...position,
      content_index: 0,
      text: block.text,
      logprobs: [],
    });
    push("response.content_part.done", { ...position, content_index: 0, part });
  } else if (block.kind === "thinking") {
    const part = { type: "summary_text", text: block.text };
    push("response.reasoning_summary_text.done", {
      ...position,
      summary_index: 0,
      text: block.text,
    });
    push("response.reasoning_summary_part.done", { ...position, summary_index: 0, part });
  } else if (block.kind === "tool") {
    push("response.function_call_arguments.done", {
      ...position,
      name: block.name,
      arguments: block.argumentsText,
    });
  }
  push("response.output_item.done", { output_index, item: wholeItem(block, item_id) });
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
    output: blocksOf(reply).map((block, index) => wholeItem(block, itemId(context, index))),
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

function emptyItem(block: Block, id: string): object {
  switch (block.kind) {
    case "text":
      return { id, type: "message", status: "in_progress", role: "assistant", content: [] };
    case "thinking":
      return { id, type: "reasoning", summary: [] };
    case "tool":
      return {
        id,
        type: "function_call",
        status: "in_progress",
        call_id: block.id,
        name: block.name,
        arguments: "",
      };
  }
}

function wholeItem(block: Block, id: string): object {
  switch (block.kind) {
    case "text": {
      const content = [{ type: "output_text", text: block.text, annotations: [] }];
      return { id, type: "message", status: "completed", role: "assistant", content };
    }
    case "thinking":
      return { id, type: "reasoning", summary: [{ type: "summary_text", text: block.text }] };
    case "tool":
      return {
        id,
        type: "function_call",
        status: "completed",
        call_id: block.id,
        name: block.name,
        arguments: block.argumentsText,
      };
  }
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

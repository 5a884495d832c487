import { blockEvents, blocksOf, type Block } from "./blocks.ts";
import { dialectErrorText, sse, type Dialect, type ReplyContext } from "./dialect.ts";
import { parseJsonOrText } from "../request.ts";
import type { Reply, WireItem } from "../reply.ts";
import type { FinishReason, ReplyUsage } from "../script-parts.ts";

const stopReasons: Record<FinishReason, string> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  filtered: "refusal",
};

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

const signature = "scripted-signature";

export const anthropic: Dialect = {
  name: "anthropic",
  stream: streamMessage,
  whole: wholeMessage,
  errorBody: (status) => ({
    type: "error",
    error: { type: errorTypes[status] ?? "api_error", message: dialectErrorText(status) },
  }),
};

function streamMessage(reply: Reply, context: ReplyContext): WireItem[] {
  const items: WireItem[] = [];
  const push = (type: string, fields: object, content = false): void => {
    items.push({ kind: "send", data: sse({ type, ...fields }, type), content });
  };
  const events = blockEvents(reply);
  const start = (): void => {
    const usage = { ...messageUsage(reply.usage), output_tokens: 1 };
    push("message_start", {
      message: { ...envelope(context), content: [], stop_reason: null, usage },
    });
  };
  let started = false;
  for (const event of events) {
    if (event.at === "control") {
      items.push(event.control);
      continue;
    }
    if (!started) start();
    started = true;
    const { index, block } = event;
    if (event.at === "open")
      push("content_block_start", { index, content_block: blockOf(block, false) });
    else if (event.at === "delta")
      push("content_block_delta", { index, delta: deltaOf(block, event.text) }, true);
    else {
      if (block.kind === "thinking") {
        push("content_block_delta", { index, delta: { type: "signature_delta", signature } });
      }
      push("content_block_stop", { index });
    }
  }
  if (!started) start();
  const stop = { stop_reason: stopReasons[reply.finish], stop_sequence: null };
  push("message_delta", { delta: stop, usage: messageUsage(reply.usage) });
  push("message_stop", {});
  return items;
}

function wholeMessage(reply: Reply, context: ReplyContext): unknown {
  return {
    ...envelope(context),
    content: blocksOf(reply).map((block) => blockOf(block, true)),
    stop_reason: stopReasons[reply.finish],
    usage: messageUsage(reply.usage),
  };
}

function envelope(context: ReplyContext): object {
  return {
    id: context.id,
    type: "message",
    role: "assistant",
    model: context.model,
    stop_sequence: null,
  };
}

function deltaOf(block: Block, text: string): object {
  switch (block.kind) {
    case "text":
      return { type: "text_delta", text };
    case "thinking":
      return { type: "thinking_delta", thinking: text };
    case "tool":
      return { type: "input_json_delta", partial_json: text };
  }
}

/** A block with its content, or as it is before the first delta. */
function blockOf(block: Block, isWhole: boolean): object {
  if (block.kind === "tool") {
    const input = isWhole ? parseJsonOrText(block.argumentsText) : {};
    return { type: "tool_use", id: block.id, name: block.name, input };
  }
  const text = isWhole ? block.text : "";
  return block.kind === "text"
    ? { type: "text", text }
    : { type: "thinking", thinking: text, signature: isWhole ? signature : "" };
}

function messageUsage(usage: ReplyUsage): object {
  return {
    input_tokens: usage.input - usage.cachedInput,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedInput,
    output_tokens: usage.output,
  };
}

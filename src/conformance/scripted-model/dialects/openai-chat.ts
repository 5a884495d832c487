import { sse, type Dialect, type ReplyContext, dialectErrorText } from "./dialect.ts";
import { isControlPiece, type Reply, type WireItem } from "../reply.ts";
import type { FinishReason, ReplyUsage } from "../script-parts.ts";

const finishReasons: Record<FinishReason, string> = {
  stop: "stop",
  tool_calls: "tool_calls",
  length: "length",
  filtered: "content_filter",
};

export const openaiChat: Dialect = {
  name: "openai-chat",
  stream: streamChat,
  whole: wholeChat,
  errorBody: openaiError,
};

function streamChat(reply: Reply, context: ReplyContext): WireItem[] {
  const items: WireItem[] = [];
  const push = (fields: object, content: boolean): void => {
    const chunk = {
      id: context.id,
      object: "chat.completion.chunk",
      created: 0,
      model: context.model,
      ...fields,
    };
    items.push({ kind: "send", data: sse(chunk), content });
  };
  const delta = (value: object, content = true): void => {
    push({ choices: [{ index: 0, delta: value, finish_reason: null }] }, content);
  };
  let opened = false;
  let tools = 0;
  for (const piece of reply.pieces) {
    if (isControlPiece(piece)) {
      items.push(piece);
      continue;
    }
    if (!opened) delta({ role: "assistant", content: "" }, false);
    opened = true;
    if (piece.kind === "text") delta({ content: piece.text });
    else if (piece.kind === "thinking") delta({ reasoning_content: piece.text });
    else {
      const index = tools;
      tools += 1;
      const head = {
        index,
        id: piece.id,
        type: "function",
        function: { name: piece.name, arguments: "" },
      };
      delta({ tool_calls: [head] }, false);
      for (const fragment of piece.fragments)
        delta({ tool_calls: [{ index, function: { arguments: fragment } }] });
    }
  }
  push({ choices: [{ index: 0, delta: {}, finish_reason: finishReasons[reply.finish] }] }, false);
  push({ choices: [], usage: chatUsage(reply.usage) }, false);
  items.push({ kind: "send", data: sse("[DONE]"), content: false });
  return items;
}

function wholeChat(reply: Reply, context: ReplyContext): unknown {
  let content = "";
  let reasoning = "";
  const toolCalls: object[] = [];
  for (const piece of reply.pieces) {
    if (piece.kind === "text") content += piece.text;
    else if (piece.kind === "thinking") reasoning += piece.text;
    else if (piece.kind === "tool") {
      const call = { name: piece.name, arguments: piece.fragments.join("") };
      toolCalls.push({ id: piece.id, type: "function", function: call });
    }
  }
  const message = {
    role: "assistant",
    content,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  return {
    id: context.id,
    object: "chat.completion",
    created: 0,
    model: context.model,
    choices: [{ index: 0, message, finish_reason: finishReasons[reply.finish] }],
    usage: chatUsage(reply.usage),
  };
}

function chatUsage(usage: ReplyUsage): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cachedInput },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}

/** The error of both APIs of OpenAI. */
export function openaiError(status: number): unknown {
  return {
    error: { message: dialectErrorText(status), type: "scripted_error", code: String(status) },
  };
}

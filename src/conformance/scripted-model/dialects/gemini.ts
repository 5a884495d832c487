import { dialectErrorText, sse, type Dialect, type ReplyContext } from "./dialect.ts";
import { parseJsonOrText } from "../request.ts";
import { isControlPiece, type Control, type Piece, type Reply, type WireItem } from "../reply.ts";
import type { FinishReason, ReplyUsage } from "../script-parts.ts";

const finishReasons: Record<FinishReason, string> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  filtered: "SAFETY",
};

const statusNames: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

export const gemini: Dialect = {
  name: "gemini",
  stream: streamContent,
  whole: wholeContent,
  errorBody: (status) => ({
    error: {
      code: status,
      message: dialectErrorText(status),
      status: statusNames[status] ?? "UNKNOWN",
    },
  }),
};

function streamContent(reply: Reply, context: ReplyContext): WireItem[] {
  const items: WireItem[] = reply.pieces.map((piece) =>
    isControlPiece(piece)
      ? piece
      : {
          kind: "send",
          data: sse(response([partOf(piece)], undefined, undefined, context)),
          content: true,
        },
  );
  const last = response([{ text: "" }], finishReasons[reply.finish], reply.usage, context);
  items.push({ kind: "send", data: sse(last), content: false });
  return items;
}

function wholeContent(reply: Reply, context: ReplyContext): unknown {
  const parts = reply.pieces.flatMap((piece) => (isControlPiece(piece) ? [] : [partOf(piece)]));
  return response(parts, finishReasons[reply.finish], reply.usage, context);
}

function partOf(piece: Exclude<Piece, Control>): object {
  switch (piece.kind) {
    case "text":
      return { text: piece.text };
    case "thinking":
      return { text: piece.text, thought: true };
    case "tool":
      return {
        functionCall: {
          id: piece.id,
          name: piece.name,
          args: parseJsonOrText(piece.fragments.join("")),
        },
      };
  }
}

function response(
  parts: readonly object[],
  finishReason: string | undefined,
  usage: ReplyUsage | undefined,
  context: ReplyContext,
): object {
  return {
    candidates: [
      {
        index: 0,
        content: { role: "model", parts },
        ...(finishReason === undefined ? {} : { finishReason }),
      },
    ],
    ...(usage === undefined ? {} : { usageMetadata: usageMetadata(usage) }),
    modelVersion: context.model,
    responseId: context.id,
  };
}

function usageMetadata(usage: ReplyUsage): object {
  return {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cachedInput,
    candidatesTokenCount: usage.output - usage.reasoning,
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: usage.input + usage.output,
  };
}

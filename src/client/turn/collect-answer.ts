import type { Update } from "../../protocol/acp/index.ts";
import type { AnswerText } from "../../base/index.ts";

/** Adds one update to an answer. */
export function collectAnswer(answer: AnswerText, update: Update): void {
  switch (update.type) {
    case "agent_message_chunk":
      return answer.add(update.text, update.messageId);
    case "tool_call":
    case "tool_call_update":
      return answer.toolCall(update.toolCallId);
    default:
  }
}

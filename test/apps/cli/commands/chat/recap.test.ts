import { expect, it } from "vitest";
import { toUpdate } from "../../../../../src/protocol/acp/index.ts";
import { Recap } from "../../../../../src/apps/cli/commands/chat/recap.ts";

const message = (sessionUpdate: string, text: string) =>
  toUpdate({ sessionUpdate, content: { type: "text", text } });

it("keeps the end of a long conversation, safe to print", () => {
  const recap = new Recap();
  expect(recap.lines()).toEqual([]);
  for (let n = 0; n < 5000; n++) {
    recap.add(message("user_message_chunk", `question ${n}`));
    recap.add(message("agent_message_chunk", `answer\u001b[2J ${n}`));
  }
  const lines = recap.lines();
  expect(lines).toHaveLength(21);
  expect(lines[0]).toBe("…");
  expect(lines.slice(-3)).toEqual(["You: question 4999", "", "Agent: answer␛[2J 4999"]);
});

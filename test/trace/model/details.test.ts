import { describe, expect, it } from "vitest";
import { firstWords } from "../../../src/trace/model/details.ts";
import { modelOfEntries } from "../../apps/inspector/sessions.ts";

const words = (line: string): string =>
  firstWords(modelOfEntries([{ ms: 0, direction: "in", line }]), 0);
const update = (fields: object): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId: "s1", update: fields },
  });
const text = (value: string) => ({ type: "text", text: value });

describe("the first words of a frame", () => {
  it.each([
    [update({ sessionUpdate: "agent_message_chunk", content: text("Hello") }), "Hello"],
    [update({ sessionUpdate: "tool_call", toolCallId: "t", title: "Edit" }), "Edit"],
    [update({ sessionUpdate: "plan", entries: [{ content: "Look" }] }), "Look"],
    [update({ sessionUpdate: "state_update", state: "idle" }), "idle"],
    [
      '{"id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"Fix it"}]}}',
      "Fix it",
    ],
    ['{"id":1,"method":"fs/read_text_file","params":{"path":"/a"}}', "/a"],
    ['{"id":1,"result":{"stopReason":"end_turn"}}', "end_turn"],
    ['{"id":1,"result":{"outcome":{"outcome":"selected","optionId":"x"}}}', "selected"],
    ['{"id":1,"result":{"sessionId":"s1","modes":{}}}', "s1"],
    [`{"id":1,"result":{"sessionId":"s2","modes":{"x":"${"y".repeat(9000)}"}}}`, "s2"],
    ['{"id":1,"error":{"code":1,"message":"broken"}}', "broken"],
    ["not JSON", "not JSON"],
    ['{"id":1,"result":null}', ""],
  ])("%s are %j", (line, expected) => {
    expect(words(line)).toBe(expected);
  });

  it("of a long frame are found without reading all of it", () => {
    const line = update({
      sessionUpdate: "agent_message_chunk",
      content: text(`a "b" ${"x".repeat(9000)}`),
    });
    expect(words(line)).toMatch(/^a "b" x+$/);
    expect(words(line).length).toBeLessThanOrEqual(200);
  });
});

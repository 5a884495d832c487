import { describe, expect, it } from "vitest";
import type { FleetEntry } from "../../../../src/host/fleet/index.ts";
import { textOf } from "../rig.ts";
import { coalesced } from "../../../../src/host/fleet/session/entries.ts";

function chunk(text: string, more: object = {}, params: object = {}): FleetEntry {
  const content = { type: "text", text };
  const update = { sessionUpdate: "agent_message_chunk", content, ...more };
  return { type: "update", params: { update, ...params } };
}

describe("two pieces of a message", () => {
  it("become one", () => {
    const merged = coalesced(chunk("one "), chunk("two"));
    expect(merged).toEqual(chunk("one two"));
    const ids = { messageId: "m" };
    expect(coalesced(chunk("one ", ids), chunk("two", ids))).toEqual(chunk("one two", ids));
  });

  it.each<[string, FleetEntry]>([
    ["of another message", chunk("two", { messageId: "n" })],
    ["of another kind", chunk("two", { sessionUpdate: "agent_thought_chunk" })],
    ["from the user", chunk("two", { sessionUpdate: "user_message_chunk" })],
    ["of a subagent", chunk("two", {}, { sessionId: "sub" })],
    ["with metadata", chunk("two", { _meta: {} })],
    ["with metadata of the notification", chunk("two", {}, { _meta: {} })],
    ["with an image", chunk("", { content: { type: "image", data: "", mimeType: "image/png" } })],
    ["with annotations", chunk("", { content: { type: "text", text: "", annotations: {} } })],
    ["that is a tool call", { type: "update", params: { update: { sessionUpdate: "tool_call" } } }],
    ["that ends the turn", { type: "turn_ended", id: "1" }],
  ])("stay two if one is %s", (_, other) => {
    expect(coalesced(chunk("one "), other)).toBeUndefined();
    expect(coalesced(other, chunk("one "))).toBeUndefined();
  });

  it("keep their text", () => {
    expect(textOf(coalesced(chunk("é"), chunk("😀")) ?? expect.fail())).toBe("é😀");
  });
});

import { describe, expect, test } from "vitest";

import { crowDialect } from "../../../../src/protocol/acp/index.ts";
import { notification, read, update } from "./messages.ts";

describe("a crow client that reads an update", () => {
  const client = () => crowDialect("client");

  test("accepts either spelling and tag", () => {
    const canonical = update("s", {
      sessionUpdate: "tool_call_update",
      toolCallId: "t",
      rawOutput: 1,
      content: [
        { type: "diff", path: "/a", oldText: "o", newText: "n" },
        { type: "content", content: { type: "image", data: "", mimeType: "m" } },
        {
          type: "content",
          content: { type: "resource", resource: { uri: "u", text: "", mimeType: "m" } },
        },
        { type: "terminal", terminalId: "x" },
      ],
    });
    const snake = notification("session/update", {
      session_id: "s",
      update: {
        "@type": "tool_call_update",
        tool_call_id: "t",
        raw_output: 1,
        content: [
          { type: "diff", path: "/a", old_text: "o", new_text: "n" },
          { type: "content", content: { type: "image", data: "", mime_type: "m" } },
          {
            type: "content",
            content: { type: "resource", resource: { uri: "u", text: "", mime_type: "m" } },
          },
          { type: "terminal", terminal_id: "x" },
        ],
      },
    });
    expect(read(client(), snake)).toEqual([canonical]);
    expect(read(client(), canonical)).toEqual([canonical]);
  });

  test("accepts canonical tags and unknown tags under @type", () => {
    const chunk = { content: { type: "text", text: "x" } };
    expect(read(client(), update("s", { "@type": "agent_message_chunk", ...chunk }))).toEqual([
      update("s", { sessionUpdate: "agent_message_chunk", ...chunk }),
    ]);
    expect(read(client(), update("s", { "@type": "weather", degrees: 3 }))).toEqual([
      update("s", { sessionUpdate: "weather", degrees: 3 }),
    ]);
  });

  test("does not take a plan_update with a nested plan for crow's", () => {
    const plan = { type: "items", entries: [] };
    expect(read(client(), update("s", { "@type": "plan_update", plan }))).toEqual([
      update("s", { sessionUpdate: "plan_update", plan }),
    ]);
    const newer = update("s", { sessionUpdate: "plan_update", plan });
    expect(read(client(), newer)).toEqual([newer]);
  });

  test("accepts the user messages of a replay", () => {
    expect(read(client(), update("s", { "@type": "user_message_text", text: "q" }))).toEqual([
      update("s", { sessionUpdate: "user_message_chunk", content: { type: "text", text: "q" } }),
    ]);
  });
});

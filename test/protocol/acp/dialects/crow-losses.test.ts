import { expect, test } from "vitest";

import { crowDialect } from "../../../../src/protocol/acp/index.ts";
import { failure, notification, request, result } from "../../../support/messages.ts";
import { carry, overTheWire, read, update, write } from "./messages.ts";

const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const ends = () => ({ client: crowDialect("client"), agent: crowDialect("agent") });
const toClient = (fields: object) => {
  const { client, agent } = ends();
  return carry(agent, client, update("s", fields));
};
const chunk = (content: object) => ({ sessionUpdate: "agent_message_chunk", content });

/** The response to a prompt as the client reads it. */
function answerToPrompt(answer: object): readonly object[] {
  const { client, agent } = ends();
  carry(client, agent, request(1, "session/prompt", { sessionId: "s", prompt: [] }));
  return carry(agent, client, { jsonrpc: "2.0", id: 1, ...answer });
}

function permission(toolCall: object, options: readonly object[]): readonly object[] {
  const { client, agent } = ends();
  const params = { sessionId: "s", toolCall: { toolCallId: "t", ...toolCall }, options };
  return carry(agent, client, request(7, "session/request_permission", params));
}

/** Everything that canonical ACP can express and crow cannot: a message, and its rest at the other end. */
const losses: Readonly<Record<string, () => void>> = {
  "stop reasons other than end_turn and cancelled -> end_turn": () => {
    for (const stopReason of ["max_tokens", "max_turn_requests", "refusal", "novelty"]) {
      expect(answerToPrompt({ result: { stopReason } })).toEqual([
        result(1, { stopReason: "end_turn" }),
      ]);
    }
  },
  "message and data of error -32603 for a prompt -> stop_reason error, without details": () => {
    const [answer] = answerToPrompt(failure(1, -32603, "the disk is full", { path: "/" }));
    expect(answer).toMatchObject({ error: { code: -32603 } });
    expect(JSON.stringify(answer)).not.toContain("disk");
  },
  "a message or thought that is not text -> text: its text, its name and URI, or its type": () => {
    const kinds: [object, string][] = [
      [{ type: "image", data: "AA==", mimeType: "image/png" }, "[image image/png]"],
      [{ type: "audio", data: "AA==", mimeType: "audio/wav" }, "[audio audio/wav]"],
      [{ type: "resource_link", uri: "file:///a", name: "a" }, "a <file:///a>"],
      [{ type: "resource", resource: { uri: "file:///a", text: "body" } }, "body"],
      [{ type: "resource", resource: { uri: "file:///a", blob: "AA==" } }, "<file:///a>"],
    ];
    for (const [content, words] of kinds) {
      expect(toClient(chunk(content))).toEqual([update("s", chunk(text(words)))]);
    }
    expect(toClient(chunk({ type: "hologram" }))).toEqual([]);
  },
  "annotations and _meta inside text content -> only the text": () => {
    const annotated = text("x", { annotations: { priority: 1 }, _meta: { a: 1 } });
    expect(toClient(chunk(annotated))).toEqual([update("s", chunk(text("x")))]);
  },
  "updates about commands, mode, config options, session info, usage, notices and compaction, and unknown updates -> nothing":
    () => {
      for (const fields of [
        { sessionUpdate: "available_commands_update", availableCommands: [] },
        { sessionUpdate: "current_mode_update", currentModeId: "m" },
        { sessionUpdate: "config_option_update", configOptions: [] },
        { sessionUpdate: "session_info_update", title: "t" },
        { sessionUpdate: "usage_update", used: 1, size: 2 },
        { sessionUpdate: "notice", severity: "info", title: "t" },
        { sessionUpdate: "compaction_update", compactionId: "c", status: "completed" },
        { sessionUpdate: "compaction_summary_chunk", compactionId: "c", content: text("x") },
        { sessionUpdate: "novelty" },
      ]) {
        expect(toClient(fields)).toEqual([]);
      }
    },
  "a permission request answered with cancelled or an error -> the reject_once option, or option_id null":
    () => {
      const ask = (options: readonly object[]) => {
        const { client, agent } = ends();
        const params = { sessionId: "s", toolCall: { toolCallId: "t", title: "x" }, options };
        const [permissionRequest] = carry(
          agent,
          client,
          request(7, "session/request_permission", params),
        );
        const cancelled = { outcome: { outcome: "cancelled" } };
        return carry(client, agent, result(permissionRequest?.["id"], cancelled));
      };
      const reject = { optionId: "r", name: "R", kind: "reject_once" };
      const allow = { optionId: "a", name: "A", kind: "allow_once" };
      expect(ask([allow, reject])).toEqual([
        result(7, { outcome: { outcome: "selected", optionId: "r" } }),
      ]);
      expect(ask([allow])).toEqual([result(7, { outcome: { outcome: "cancelled" } })]);
    },
  "further tool call fields in a permission request -> a tool_call_update before the permission request":
    () => {
      const content = [{ type: "diff", path: "/a", newText: "n" }];
      expect(permission({ title: "Edit", kind: "edit", content }, [])).toMatchObject([
        update("s", { sessionUpdate: "tool_call_update", toolCallId: "t", kind: "edit", content }),
        { params: { toolCall: { toolCallId: "t", title: "Edit" } } },
      ]);
    },
  "a permission request without a title -> the tool's name, kind or call id as title": () => {
    expect(permission({}, [])).toMatchObject([{ params: { toolCall: { title: "t" } } }]);
    expect(permission({ kind: "edit" }, []).at(-1)).toMatchObject({
      params: { toolCall: { title: "edit" } },
    });
  },
  "the id of a permission request -> nothing; the answer is matched by session and tool call":
    () => {
      const [permissionRequest] = permission({ title: "x" }, []);
      expect(permissionRequest).not.toHaveProperty("id", 7);
    },
  "$/cancel_request -> nothing": () => {
    const { client, agent } = ends();
    const cancel = notification("$/cancel_request", { requestId: 1 });
    expect(write(client, cancel)).toEqual([]);
    expect(write(agent, cancel)).toEqual([]);
  },
  "a tool_call without kind or status -> explicit kind other and status pending": () => {
    expect(toClient({ sessionUpdate: "tool_call", toolCallId: "t", title: "x" })).toEqual([
      update("s", {
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "x",
        kind: "other",
        status: "pending",
      }),
    ]);
  },
  "omitted prompt capabilities -> audio reads back as false; text is always present": () => {
    const { client, agent } = ends();
    carry(client, agent, request(1, "initialize", { protocolVersion: 1 }));
    const [wire] = write(agent, result(1, { protocolVersion: 1 }));
    expect(wire).toMatchObject({
      result: { agent_capabilities: { prompt_capabilities: { text: true } } },
    });
    expect(wire && read(client, overTheWire(wire))).toEqual([
      result(1, {
        protocolVersion: 1,
        agentCapabilities: { promptCapabilities: { audio: false } },
      }),
    ]);
  },
};

test.each(Object.entries(losses))("%s", (_, check) => check());

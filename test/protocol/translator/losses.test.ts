import { describe, expect, it } from "vitest";
import { V2_LOSSES, type V2LossId } from "../../../src/protocol/translator/index.ts";
import type { JsonObject } from "../../../src/base/index.ts";
import {
  agentChunk,
  type Sides,
  state,
  textBlock,
  toolCall,
  updateOf,
  v1Client,
  v2Client,
  watched,
} from "./sides.ts";

const toV1 = (capabilities: JsonObject = {}): Sides => watched(v1Client(capabilities));
const toV2 = (capabilities: JsonObject = {}): Sides => watched(v2Client(capabilities));

const ask = (params: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  id: "q",
  method: "session/request_permission",
  params: { sessionId: "s", title: "May I?", ...params },
});

/** For each loss: between which sides and how it happens once, and what arrives instead. */
type Case = readonly [make: () => Sides, lose: (sides: Sides) => unknown, expected: unknown];
const CASES: Readonly<Record<V2LossId, Case>> = {
  state: [toV1, (sides) => sides.update(state("requires_action", { background: [] })), []],
  "stop-reason": [
    toV1,
    (sides) => {
      const { id } = sides.prompt();
      sides.answer(id, { messageId: "u" });
      sides.update(state("running"));
      return sides.update(state("idle", { stopReason: "_paused" }));
    },
    [
      expect.objectContaining({
        result: { stopReason: "end_turn", _meta: { "dragoman/raw": { stopReason: "_paused" } } },
      }),
    ],
  ],
  "user-echo": [
    toV1,
    (sides) => {
      sides.prompt();
      const content = [textBlock("Hi")];
      const echo = { sessionUpdate: "user_message", messageId: "u", content };
      return sides.update(echo);
    },
    [],
  ],
  "message-replaced": [
    toV1,
    (sides) => {
      sides.update(agentChunk("a", "Hello there."));
      const content = [textBlock("Hello there!")];
      return sides.update({ sessionUpdate: "agent_message", messageId: "a", content });
    },
    [agentChunk("a~2", "Hello there!")],
  ],
  "tool-value-cleared": [
    toV1,
    (sides) => {
      sides.update(toolCall({ title: "Run", rawInput: { a: 1 } }));
      return sides.update(toolCall({ rawInput: null }));
    },
    [toolCall()],
  ],
  "tool-status": [
    toV1,
    (sides) => sides.update(toolCall({ title: "Run", status: "paused" })),
    [
      {
        ...toolCall({ title: "Run", status: "in_progress" }),
        sessionUpdate: "tool_call",
        _meta: { "dragoman/raw": { status: "paused" } },
      },
    ],
  ],
  "tool-kind": [
    toV1,
    (sides) => sides.update(toolCall({ title: "Run", kind: "_acme" })),
    [
      {
        ...toolCall({ title: "Run", kind: "other" }),
        sessionUpdate: "tool_call",
        _meta: { "dragoman/raw": { kind: "_acme" } },
      },
    ],
  ],
  "tool-cancel": [
    toV1,
    (sides) => {
      const capabilities = { cancel: {} };
      return sides.update(toolCall({ title: "Run", capabilities }));
    },
    [{ ...toolCall({ title: "Run" }), sessionUpdate: "tool_call" }],
  ],
  diff: [
    toV1,
    (sides) => {
      const changes = [{ operation: "move", oldPath: "/a", path: "/b" }];
      const content = [{ type: "diff", changes }];
      return sides.update(toolCall({ title: "Move", content }));
    },
    [
      {
        ...toolCall({ title: "Move" }),
        sessionUpdate: "tool_call",
        content: [{ type: "content", content: textBlock("move /a to /b") }],
      },
    ],
  ],
  terminal: [
    toV1,
    (sides) => {
      sides.update({ sessionUpdate: "terminal_update", terminalId: "x", output: { data: "aGk=" } });
      const content = [{ type: "terminal", terminalId: "x" }];
      return sides.update(toolCall({ title: "Run", content }));
    },
    [
      {
        ...toolCall({ title: "Run" }),
        sessionUpdate: "tool_call",
        content: [{ type: "content", content: textBlock("hi") }],
      },
    ],
  ],
  "content-kind": [
    toV1,
    (sides) => {
      const content = { type: "_acme", body: 1 };
      return sides.update({ ...agentChunk("a", ""), content });
    },
    [],
  ],
  plan: [
    toV1,
    (sides) => {
      const entry = { content: "Later", priority: "_whatever", status: "_soon" };
      const gone = { content: "No", priority: "low", status: "cancelled" };
      const plan = { type: "items", planId: "p", entries: [entry, gone] };
      return sides.update({ sessionUpdate: "plan_update", plan });
    },
    [
      {
        sessionUpdate: "plan",
        entries: [{ content: "Later", priority: "medium", status: "pending" }],
      },
    ],
  ],
  "permission-text": [
    toV1,
    (sides) => {
      sides.update(toolCall({ title: "Run" }));
      const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
      const subject = { type: "tool_call", toolCall: { toolCallId: "t" } };
      const { toClient } = sides.fromAgent(ask({ description: "Why", options, subject }));
      return toClient.at(-1)?.["params"];
    },
    {
      sessionId: "s",
      toolCall: { toolCallId: "t" },
      options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
    },
  ],
  "permission-kind": [
    toV1,
    (sides) => {
      const options = [{ optionId: "y", name: "Yes", kind: "_perhaps" }];
      const { toClient } = sides.fromAgent(ask({ options }));
      return toClient[0]?.["params"];
    },
    expect.objectContaining({
      options: [
        { optionId: "y", name: "Yes", kind: "reject_once", _meta: { "dragoman/raw": "_perhaps" } },
      ],
    }),
  ],
  "update-kind": [
    toV1,
    (sides) => sides.update({ sessionUpdate: "notice", severity: "info", title: "Note" }),
    [],
  ],
  "command-type": [
    toV1,
    (sides) => {
      const availableCommands = [{ type: "_skill", name: "fix", description: "Fixes" }];
      return sides.update({ sessionUpdate: "available_commands_update", availableCommands });
    },
    [
      {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "fix", description: "Fixes" }],
      },
    ],
  ],
  sse: [
    toV1,
    (sides) => {
      const server = { type: "sse", name: "x", url: "http://127.0.0.1", headers: [] };
      const { toClient, toAgent } = sides.call("session/new", { cwd: "/", mcpServers: [server] });
      return [toAgent, toClient.map(({ error }) => error)];
    },
    [[], [expect.objectContaining({ code: -32602 })]],
  ],
  "session-list": [
    toV2,
    (sides) => {
      const { toAgent, toClient } = sides.call("session/list", {});
      return [toAgent, toClient.map(({ result }) => result)];
    },
    [[], [{ sessions: [] }]],
  ],
  "session-history": [
    () => toV2({ loadSession: true }),
    (sides) => {
      const { id, toAgent } = sides.call("session/resume", { sessionId: "s", cwd: "/" });
      const replayed = sides.update(agentChunk("a", "Old"));
      const answered = sides.answer(id, {}).map((frame) => updateOf(frame) ?? frame["result"]);
      return [toAgent.map(({ method }) => method), replayed, answered];
    },
    [["session/load"], [], [state("idle"), {}]],
  ],
  "session-close": [
    toV2,
    (sides) => {
      const { toAgent, toClient } = sides.call("session/close", { sessionId: "s" });
      return [toAgent, toClient.map(({ result }) => result)];
    },
    [[], [{}]],
  ],
  "late-refusal": [
    toV2,
    (sides) => {
      const { id } = sides.prompt();
      const error = { code: -32603, message: "No" };
      const { toClient } = sides.fromAgent({ jsonrpc: "2.0", id, error });
      return toClient.map((frame) => updateOf(frame));
    },
    [state("idle", { stopReason: "error", error: { code: -32603, message: "No" } })],
  ],
  "message-id": [
    toV2,
    (sides) => {
      const { messageId: _, ...chunk } = agentChunk("", "Hi");
      return sides.update(chunk);
    },
    [{ ...agentChunk("", "Hi"), messageId: expect.any(String) as string }],
  ],
  "user-chunks": [
    toV2,
    (sides) => {
      sides.prompt();
      const chunk = { sessionUpdate: "user_message_chunk", content: textBlock("Hi") };
      return sides.update(chunk);
    },
    [],
  ],
  "empty-option": [
    toV2,
    (sides) => {
      const option = { id: "m", name: "Model", type: "select", currentValue: "", options: [] };
      const update = { sessionUpdate: "config_option_update", configOptions: [option] };
      return sides.update(update);
    },
    [{ sessionUpdate: "config_option_update", configOptions: [] }],
  ],
  "diff-lines": [
    toV2,
    (sides) => {
      const content = [{ type: "diff", path: "/a", oldText: "x\n", newText: "y\n" }];
      const sent = { sessionUpdate: "tool_call", toolCallId: "t", title: "Edit", content };
      return sides.update(sent);
    },
    [
      toolCall({
        title: "Edit",
        content: [
          {
            type: "diff",
            changes: [{ operation: "modify", path: "/a", fileType: "text" }],
            patch: {
              format: "git_patch",
              text: "diff --git /a /a\n--- /a\n+++ /a\n@@ -1 +1 @@\n-x\n+y\n",
            },
            _meta: { "dragoman/texts": { oldText: "x\n", newText: "y\n" } },
          },
        ],
      }),
    ],
  ],
  files: [
    toV2,
    (sides) => {
      const { toClient, toAgent } = sides.fromAgent({
        jsonrpc: "2.0",
        id: "f",
        method: "fs/read_text_file",
        params: { sessionId: "s", path: "/a" },
      });
      return [toClient, toAgent.map(({ error }) => error)];
    },
    [[], [expect.objectContaining({ code: -32601 })]],
  ],
  logout: [
    toV2,
    (sides) => {
      const { toAgent, toClient } = sides.call("auth/logout", {});
      return [toAgent, toClient.map(({ error }) => error)];
    },
    [[], [expect.objectContaining({ code: -32603 })]],
  ],
  "client-terminal": [
    toV2,
    (sides) => {
      const content = [{ type: "terminal", terminalId: "x" }];
      const sent = { sessionUpdate: "tool_call", toolCallId: "t", title: "Run", content };
      return sides.update(sent);
    },
    [toolCall({ title: "Run", content: [] })],
  ],
};

describe("the list of losses", () => {
  it("has each id once", () => {
    const ids = V2_LOSSES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(V2_LOSSES.map(({ id, sent, received }) => [id, sent, received] as const))(
    "%s: for %s, the other side gets %s",
    (id) => {
      const [make, lose, expected] = CASES[id];
      const sides = make();
      expect(lose(sides)).toEqual(expected);
      expect(sides.losses(id)).toBe(1);
    },
  );
});

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

/** The sides after a loss, and what arrived. */
interface Lost {
  readonly sides: Sides;
  readonly received: unknown;
}

const ask = (params: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  id: "q",
  method: "session/request_permission",
  params: { sessionId: "s", title: "May I?", ...params },
});

/** For each loss: how it happens once, and what arrives instead. */
const CASES: Readonly<Record<V2LossId, readonly [lose: () => Lost, expected: unknown]>> = {
  state: [
    () => {
      const sides = toV1();
      return { sides, received: sides.update(state("requires_action", { background: [] })) };
    },
    [],
  ],
  "stop-reason": [
    () => {
      const sides = toV1();
      const { id } = sides.prompt();
      sides.answer(id, { messageId: "u" });
      sides.update(state("running"));
      return { sides, received: sides.update(state("idle", { stopReason: "_paused" })) };
    },
    [
      expect.objectContaining({
        result: { stopReason: "end_turn", _meta: { "dragoman/raw": { stopReason: "_paused" } } },
      }),
    ],
  ],
  "user-echo": [
    () => {
      const sides = toV1();
      sides.prompt();
      const content = [textBlock("Hi")];
      const echo = { sessionUpdate: "user_message", messageId: "u", content };
      return { sides, received: sides.update(echo) };
    },
    [],
  ],
  "message-replaced": [
    () => {
      const sides = toV1();
      sides.update(agentChunk("a", "Hello there."));
      const content = [textBlock("Hello there!")];
      return {
        sides,
        received: sides.update({ sessionUpdate: "agent_message", messageId: "a", content }),
      };
    },
    [agentChunk("a~2", "Hello there!")],
  ],
  "tool-value-cleared": [
    () => {
      const sides = toV1();
      sides.update(toolCall({ title: "Run", rawInput: { a: 1 } }));
      return { sides, received: sides.update(toolCall({ rawInput: null })) };
    },
    [toolCall()],
  ],
  "tool-status": [
    () => {
      const sides = toV1();
      return { sides, received: sides.update(toolCall({ title: "Run", status: "paused" })) };
    },
    [
      {
        ...toolCall({ title: "Run", status: "in_progress" }),
        sessionUpdate: "tool_call",
        _meta: { "dragoman/raw": { status: "paused" } },
      },
    ],
  ],
  "tool-kind": [
    () => {
      const sides = toV1();
      return { sides, received: sides.update(toolCall({ title: "Run", kind: "_acme" })) };
    },
    [
      {
        ...toolCall({ title: "Run", kind: "other" }),
        sessionUpdate: "tool_call",
        _meta: { "dragoman/raw": { kind: "_acme" } },
      },
    ],
  ],
  "tool-cancel": [
    () => {
      const sides = toV1();
      const capabilities = { cancel: {} };
      return { sides, received: sides.update(toolCall({ title: "Run", capabilities })) };
    },
    [{ ...toolCall({ title: "Run" }), sessionUpdate: "tool_call" }],
  ],
  diff: [
    () => {
      const sides = toV1();
      const changes = [{ operation: "move", oldPath: "/a", path: "/b" }];
      const content = [{ type: "diff", changes }];
      return { sides, received: sides.update(toolCall({ title: "Move", content })) };
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
    () => {
      const sides = toV1();
      sides.update({ sessionUpdate: "terminal_update", terminalId: "x", output: { data: "aGk=" } });
      const content = [{ type: "terminal", terminalId: "x" }];
      return { sides, received: sides.update(toolCall({ title: "Run", content })) };
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
    () => {
      const sides = toV1();
      const content = { type: "_acme", body: 1 };
      return { sides, received: sides.update({ ...agentChunk("a", ""), content }) };
    },
    [],
  ],
  plan: [
    () => {
      const sides = toV1();
      const entry = { content: "Later", priority: "_whatever", status: "_soon" };
      const gone = { content: "No", priority: "low", status: "cancelled" };
      const plan = { type: "items", planId: "p", entries: [entry, gone] };
      return { sides, received: sides.update({ sessionUpdate: "plan_update", plan }) };
    },
    [
      {
        sessionUpdate: "plan",
        entries: [{ content: "Later", priority: "medium", status: "pending" }],
      },
    ],
  ],
  "permission-text": [
    () => {
      const sides = toV1();
      sides.update(toolCall({ title: "Run" }));
      const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
      const subject = { type: "tool_call", toolCall: { toolCallId: "t" } };
      const { toClient } = sides.fromAgent(ask({ description: "Why", options, subject }));
      return { sides, received: toClient.at(-1)?.["params"] };
    },
    {
      sessionId: "s",
      toolCall: { toolCallId: "t" },
      options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
    },
  ],
  "permission-kind": [
    () => {
      const sides = toV1();
      const options = [{ optionId: "y", name: "Yes", kind: "_perhaps" }];
      const { toClient } = sides.fromAgent(ask({ options }));
      return { sides, received: toClient[0]?.["params"] };
    },
    expect.objectContaining({
      options: [
        { optionId: "y", name: "Yes", kind: "reject_once", _meta: { "dragoman/raw": "_perhaps" } },
      ],
    }),
  ],
  "update-kind": [
    () => {
      const sides = toV1();
      return {
        sides,
        received: sides.update({ sessionUpdate: "notice", severity: "info", title: "Note" }),
      };
    },
    [],
  ],
  "command-type": [
    () => {
      const sides = toV1();
      const availableCommands = [{ type: "_skill", name: "fix", description: "Fixes" }];
      return {
        sides,
        received: sides.update({ sessionUpdate: "available_commands_update", availableCommands }),
      };
    },
    [
      {
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "fix", description: "Fixes" }],
      },
    ],
  ],
  sse: [
    () => {
      const sides = toV1();
      const server = { type: "sse", name: "x", url: "http://127.0.0.1", headers: [] };
      const { toClient, toAgent } = sides.call("session/new", { cwd: "/", mcpServers: [server] });
      return { sides, received: [toAgent, toClient.map(({ error }) => error)] };
    },
    [[], [expect.objectContaining({ code: -32602 })]],
  ],
  "session-list": [
    () => {
      const sides = toV2();
      const { toAgent, toClient } = sides.call("session/list", {});
      return { sides, received: [toAgent, toClient.map(({ result }) => result)] };
    },
    [[], [{ sessions: [] }]],
  ],
  "session-history": [
    () => {
      const sides = toV2({ loadSession: true });
      const { id, toAgent } = sides.call("session/resume", { sessionId: "s", cwd: "/" });
      const replayed = sides.update(agentChunk("a", "Old"));
      const answered = sides.answer(id, {}).map((frame) => updateOf(frame) ?? frame["result"]);
      return { sides, received: [toAgent.map(({ method }) => method), replayed, answered] };
    },
    [["session/load"], [], [state("idle"), {}]],
  ],
  "session-close": [
    () => {
      const sides = toV2();
      const { toAgent, toClient } = sides.call("session/close", { sessionId: "s" });
      return { sides, received: [toAgent, toClient.map(({ result }) => result)] };
    },
    [[], [{}]],
  ],
  "late-refusal": [
    () => {
      const sides = toV2();
      const { id } = sides.prompt();
      const error = { code: -32603, message: "No" };
      const { toClient } = sides.fromAgent({ jsonrpc: "2.0", id, error });
      return { sides, received: toClient.map((frame) => updateOf(frame)) };
    },
    [state("idle", { stopReason: "error", error: { code: -32603, message: "No" } })],
  ],
  "message-id": [
    () => {
      const sides = toV2();
      const { messageId: _, ...chunk } = agentChunk("", "Hi");
      return { sides, received: sides.update(chunk) };
    },
    [{ ...agentChunk("", "Hi"), messageId: expect.any(String) as string }],
  ],
  "user-chunks": [
    () => {
      const sides = toV2();
      sides.prompt();
      const chunk = { sessionUpdate: "user_message_chunk", content: textBlock("Hi") };
      return { sides, received: sides.update(chunk) };
    },
    [],
  ],
  "empty-option": [
    () => {
      const sides = toV2();
      const option = { id: "m", name: "Model", type: "select", currentValue: "", options: [] };
      const update = { sessionUpdate: "config_option_update", configOptions: [option] };
      return { sides, received: sides.update(update) };
    },
    [{ sessionUpdate: "config_option_update", configOptions: [] }],
  ],
  "diff-lines": [
    () => {
      const sides = toV2();
      const content = [{ type: "diff", path: "/a", oldText: "x\n", newText: "y\n" }];
      const sent = { sessionUpdate: "tool_call", toolCallId: "t", title: "Edit", content };
      return { sides, received: sides.update(sent) };
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
    () => {
      const sides = toV2();
      const { toClient, toAgent } = sides.fromAgent({
        jsonrpc: "2.0",
        id: "f",
        method: "fs/read_text_file",
        params: { sessionId: "s", path: "/a" },
      });
      return { sides, received: [toClient, toAgent.map(({ error }) => error)] };
    },
    [[], [expect.objectContaining({ code: -32601 })]],
  ],
  logout: [
    () => {
      const sides = toV2();
      const { toAgent, toClient } = sides.call("auth/logout", {});
      return { sides, received: [toAgent, toClient.map(({ error }) => error)] };
    },
    [[], [expect.objectContaining({ code: -32603 })]],
  ],
  "client-terminal": [
    () => {
      const sides = toV2();
      const content = [{ type: "terminal", terminalId: "x" }];
      const sent = { sessionUpdate: "tool_call", toolCallId: "t", title: "Run", content };
      return { sides, received: sides.update(sent) };
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
      const [lose, expected] = CASES[id];
      const { sides, received } = lose();
      expect(received).toEqual(expected);
      expect(sides.losses(id)).toBe(1);
    },
  );
});

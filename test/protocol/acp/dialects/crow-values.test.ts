import { describe, expect, test } from "vitest";
import {
  crowDialect,
  paramFaults,
  readPermissionOptions,
} from "../../../../src/protocol/acp/index.ts";
import { request, result, notification } from "../../../support/messages.ts";
import { crowPermissionRequest, overTheWire, read, write, update } from "./messages.ts";

describe("reading accepts either spelling of each key", () => {
  const client = () => crowDialect("client");
  const agent = () => crowDialect("agent");

  test("and prefers the canonical one if both are present", () => {
    expect(
      read(agent(), request(1, "session/prompt", { sessionId: "a", session_id: "b", prompt: [] })),
    ).toEqual([request(1, "session/prompt", { sessionId: "a", prompt: [] })]);
  });

  test("in session/new, with a map for env", () => {
    expect(
      read(
        agent(),
        request(1, "session/new", {
          cwd: "/",
          mcp_servers: [{ name: "m", command: "c", args: [], env: { A: "1" } }],
        }),
      ),
    ).toEqual([
      request(1, "session/new", {
        cwd: "/",
        mcpServers: [{ name: "m", command: "c", args: [], env: [{ name: "A", value: "1" }] }],
      }),
    ]);
  });

  test("in nested capabilities of a client", () => {
    const [message] = read(
      agent(),
      request(1, "initialize", {
        protocol_version: 1,
        client_capabilities: {
          fs: { read_text_file: true },
          terminal: true,
          _meta: { load_session: 1 },
        },
      }),
    );
    expect(message?.["params"]).toEqual({
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: true },
        terminal: true,
        _meta: { load_session: 1 },
      },
    });
  });

  test("in results", () => {
    const rewriter = client();
    write(rewriter, request(1, "session/new", { cwd: "/", mcpServers: [] }));
    expect(read(rewriter, result(1, { session_id: "s" }))).toEqual([result(1, { sessionId: "s" })]);
    write(rewriter, request(2, "session/prompt", { sessionId: "s", prompt: [] }));
    expect(read(rewriter, result(2, { stopReason: "end_turn" }))).toEqual([
      result(2, { stopReason: "end_turn" }),
    ]);
  });

  test("but does not change arguments, raw input, _meta or extensions", () => {
    const inner = { session_id: "keep", tool_call_id: "keep" };
    expect(
      read(client(), crowPermissionRequest([], { arguments: inner, _meta: inner })),
    ).toMatchObject([{ params: { toolCall: { rawInput: inner, _meta: inner } } }]);
    const extension = request(5, "_vendor/x", inner);
    expect(read(client(), extension)).toEqual([extension]);
    expect(read(agent(), extension)).toEqual([extension]);
    const rewriter = client();
    write(rewriter, request(6, "_vendor/x", {}));
    const answer = result(6, { stop_reason: "error" });
    expect(read(rewriter, answer)).toEqual([answer]);
  });

  test("and keeps a key __proto__", () => {
    const wire = overTheWire(
      JSON.parse(
        '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"session_id":"s","__proto__":{"x":1}}}',
      ),
    );
    const [message] = read(agent(), wire);
    expect(JSON.stringify(message?.["params"])).toBe('{"sessionId":"s","__proto__":{"x":1}}');
  });
});

/** The option kinds that the client's handlers get. */
function kindsOf(options: readonly object[]): readonly unknown[] {
  const [message] = read(crowDialect("client"), crowPermissionRequest(options));
  const params = message?.["params"];
  expect(paramFaults("session/request_permission", params)).toEqual([]);
  const given = JSON.parse(JSON.stringify(params)).options;
  return readPermissionOptions(given).map((choice) => choice.kind);
}

describe("a crow permission option", () => {
  test.each([
    ["approve", "allow_once"],
    ["allow", "allow_once"],
    ["yes", "allow_once"],
    ["allow_always", "allow_always"],
    ["approve_always", "allow_always"],
    ["reject", "reject_once"],
    ["deny", "reject_once"],
    ["no", "reject_once"],
    ["reject_always", "reject_always"],
  ])("with the id %s has the kind %s", (id, kind) => {
    expect(kindsOf([{ id, title: "whatever" }])).toEqual([kind]);
  });

  test.each([
    { id: "Approve", title: "Approve" },
    { id: "approve ", title: "Approve" },
    { id: "approve_and_run_everything", title: "Approve" },
    { id: "no_restrictions", title: "No" },
    { id: "1", title: "Reject" },
    { id: "opt", title: "yes" },
    { id: "always", title: "Always" },
    { id: "__proto__", title: "x" },
    { id: "constructor", title: "x" },
    { id: "approve", title: "Approve", kind: "allow_if_tuesday" },
  ])("with the id $id and the title $title has an unknown kind", (option) => {
    expect(kindsOf([option])).toEqual(["unknown"]);
  });

  test("keeps an explicit kind, even against its id", () => {
    expect(kindsOf([{ id: "x", title: "X", kind: "allow_always" }])).toEqual(["allow_always"]);
    expect(kindsOf([{ id: "yes", title: "X", kind: "reject_once" }])).toEqual(["reject_once"]);
  });

  test("may have canonical keys", () => {
    const [message] = read(
      crowDialect("client"),
      update("s", {
        "@type": "permission_request",
        toolCallId: "t",
        title: "x",
        options: [{ optionId: "a", name: "A", kind: "allow_once" }],
      }),
    );
    expect(message?.["params"]).toEqual({
      sessionId: "s",
      toolCall: { toolCallId: "t", title: "x" },
      options: [{ optionId: "a", name: "A", kind: "allow_once" }],
    });
  });
});

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

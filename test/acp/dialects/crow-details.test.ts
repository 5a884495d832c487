import { describe, expect, test } from "vitest";

import { crowDialect, paramFaults, toPermissionChoices } from "../../../src/acp/index.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import {
  failure,
  notification,
  overTheWire,
  read,
  request,
  result,
  update,
  write,
} from "./messages.ts";

const ask = (options: unknown, more: object = {}) =>
  update("s", {
    "@type": "permission_request",
    tool_call_id: "t",
    title: "terminal",
    permission_options: options,
    ...more,
  });

/** Option kinds as the client's handlers get them. */
function kindsOf(options: readonly object[]): readonly unknown[] {
  const [message] = read(crowDialect("client"), ask(options));
  const params = message?.["params"];
  expect(paramFaults("session/request_permission", params)).toEqual([]);
  const given = JSON.parse(JSON.stringify(params)).options;
  return toPermissionChoices(given).map((choice) => choice.kind);
}

describe("permission options", () => {
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
  ])("the id %s says %s", (id, kind) => {
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
  ])("no kind is inferred from $id / $title", (option) => {
    expect(kindsOf([option])).toEqual(["unknown"]);
  });

  test("a kind that is said outright is taken, against the id too", () => {
    expect(kindsOf([{ id: "x", title: "X", kind: "allow_always" }])).toEqual(["allow_always"]);
    expect(kindsOf([{ id: "yes", title: "X", kind: "reject_once" }])).toEqual(["reject_once"]);
  });

  test("canonical option keys are understood", () => {
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

describe("permission answers of a client", () => {
  const options = [
    { id: "approve", title: "Approve" },
    { id: "reject", title: "Reject" },
  ];
  const answered = (given: readonly object[], answer: (id: unknown) => JsonObject) => {
    const client = crowDialect("client");
    const [question] = read(client, ask(given));
    const [message] = write(client, answer(question?.["id"]));
    return message;
  };

  test("cancelled becomes the option that rejects once", () => {
    const message = answered(options, (id) => result(id, { outcome: { outcome: "cancelled" } }));
    expect(message).toMatchObject({ params: { option_id: "reject" } });
  });

  test("an error does too, and an unknown outcome", () => {
    expect(answered(options, (id) => failure(id, -32603, "boom"))).toMatchObject({
      params: { option_id: "reject" },
    });
    expect(
      answered(options, (id) =>
        result(id, { outcome: { outcome: "granted", optionId: "approve" } }),
      ),
    ).toMatchObject({ params: { option_id: "reject" } });
  });

  test("without a rejecting option nothing is chosen", () => {
    const unclear = [
      { id: "a", title: "Reject" },
      { id: "yes", title: "Yes" },
    ];
    const cancelled = (id: unknown) => result(id, { outcome: { outcome: "cancelled" } });
    expect(answered(unclear, cancelled)).toMatchObject({ params: { option_id: null } });
    const forever = [{ id: "reject_always", title: "Never" }];
    expect(answered(forever, cancelled)).toMatchObject({ params: { option_id: null } });
  });

  test("each question has its own id and is answered once", () => {
    const client = crowDialect("client");
    const [first] = read(client, ask(options));
    const [second] = read(client, ask(options));
    expect(first?.["id"]).not.toBe(second?.["id"]);
    const yes = { outcome: { outcome: "selected", optionId: "approve" } };
    expect(write(client, result(first?.["id"], yes))[0]).toHaveProperty("method");
    const again = result(first?.["id"], yes);
    expect(write(client, again)).toEqual([again]);
  });

  test("the form of the answer is configurable", () => {
    const client = crowDialect("client", {
      permissionAnswer: "request",
      permissionMethod: "session/permission",
    });
    const [question] = read(client, ask(options));
    const yes = { outcome: { outcome: "selected", optionId: "approve" } };
    const [message] = write(client, result(question?.["id"], yes));
    expect(message).toMatchObject({
      method: "session/permission",
      params: { session_id: "s", tool_call_id: "t", option_id: "approve" },
    });
    expect(message?.["id"]).toBeTypeOf("number");
    expect(read(client, result(message?.["id"], {}))).toEqual([]);
  });
});

describe("permission answers at the agent", () => {
  const params = (toolCallId: string) => ({
    sessionId: "s",
    toolCall: { toolCallId, title: "x" },
    options: [{ optionId: "approve", name: "A", kind: "allow_once" }],
  });
  const cancelled = { outcome: { outcome: "cancelled" } };
  const response = (fields: object) => notification("permission_response", fields);
  const asking = () => {
    const agent = crowDialect("agent");
    write(agent, request(1, "session/request_permission", params("t")));
    return agent;
  };

  test.each([
    { option_id: "allow_everything" },
    { option_id: null },
    { option_id: ["approve"] },
    {},
  ])("what was not offered is cancelled: %j", (fields) => {
    expect(read(asking(), response({ session_id: "s", tool_call_id: "t", ...fields }))).toEqual([
      result(1, cancelled),
    ]);
  });

  test("answers to questions never asked, or answered before, go nowhere", () => {
    const agent = asking();
    const yes = response({ session_id: "s", tool_call_id: "t", option_id: "approve" });
    expect(read(agent, response({ session_id: "z", tool_call_id: "t" }))).toEqual([]);
    expect(read(agent, response({ session_id: "s", tool_call_id: "z" }))).toEqual([]);
    expect(read(agent, yes)).toHaveLength(1);
    expect(read(agent, yes)).toEqual([]);
  });

  test("two questions on one tool call are answered in their order", () => {
    const agent = asking();
    write(agent, request(2, "session/request_permission", params("t")));
    const yes = response({ session_id: "s", tool_call_id: "t", option_id: "approve" });
    expect(read(agent, yes)).toMatchObject([{ id: 1 }]);
    expect(read(agent, yes)).toMatchObject([{ id: 2 }]);
  });

  test("an answer sent as a request is acknowledged", () => {
    const agent = asking();
    const messages = read(
      agent,
      request(44, "permission_response", { tool_call_id: "t", option_id: "approve" }),
    );
    expect(messages).toMatchObject([
      { id: 1, result: { outcome: { outcome: "selected", optionId: "approve" } } },
      { id: 44 },
    ]);
    expect(write(agent, failure(44, -32601, "?"))).toEqual([result(44, {})]);
  });

  test("cancel answers the session's open questions, after the cancel itself", () => {
    const agent = asking();
    write(agent, request(2, "session/request_permission", { ...params("u"), sessionId: "other" }));
    expect(read(agent, notification("cancel", { session_id: "s" }))).toEqual([
      notification("session/cancel", { sessionId: "s" }),
      result(1, cancelled),
    ]);
    const late = response({ session_id: "other", tool_call_id: "u", option_id: "approve" });
    expect(read(agent, late)).toMatchObject([{ id: 2 }]);
  });

  test("a question that the agent gave up is forgotten", () => {
    const agent = asking();
    expect(write(agent, notification("$/cancel_request", { requestId: 1 }))).toEqual([]);
    expect(
      read(agent, response({ session_id: "s", tool_call_id: "t", option_id: "approve" })),
    ).toEqual([]);
  });
});

describe("reading takes either spelling, key by key", () => {
  const client = () => crowDialect("client");
  const agent = () => crowDialect("agent");

  test("updates in a session_id, tagged either way", () => {
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

  test("canonical tags under @type, and crow's nowhere known", () => {
    const chunk = { content: { type: "text", text: "x" } };
    expect(read(client(), update("s", { "@type": "agent_message_chunk", ...chunk }))).toEqual([
      update("s", { sessionUpdate: "agent_message_chunk", ...chunk }),
    ]);
    expect(read(client(), update("s", { "@type": "weather", degrees: 3 }))).toEqual([
      update("s", { sessionUpdate: "weather", degrees: 3 }),
    ]);
  });

  test("a plan_update with a nested plan is not crow's", () => {
    const plan = { type: "items", entries: [] };
    expect(read(client(), update("s", { "@type": "plan_update", plan }))).toEqual([
      update("s", { sessionUpdate: "plan_update", plan }),
    ]);
    const newer = update("s", { sessionUpdate: "plan_update", plan });
    expect(read(client(), newer)).toEqual([newer]);
  });

  test("the user's half of a replay", () => {
    expect(read(client(), update("s", { "@type": "user_message_text", text: "q" }))).toEqual([
      update("s", { sessionUpdate: "user_message_chunk", content: { type: "text", text: "q" } }),
    ]);
  });

  test("where both spellings stand, the canonical wins", () => {
    expect(
      read(agent(), request(1, "session/prompt", { sessionId: "a", session_id: "b", prompt: [] })),
    ).toEqual([request(1, "session/prompt", { sessionId: "a", prompt: [] })]);
  });

  test("a session/new in snake_case, with a map for env", () => {
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

  test("capabilities of a client, nested", () => {
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

  test("results in camelCase, and a session id in snake_case", () => {
    const rewriter = client();
    write(rewriter, request(1, "session/new", { cwd: "/", mcpServers: [] }));
    expect(read(rewriter, result(1, { session_id: "s" }))).toEqual([result(1, { sessionId: "s" })]);
    write(rewriter, request(2, "session/prompt", { sessionId: "s", prompt: [] }));
    expect(read(rewriter, result(2, { stopReason: "end_turn" }))).toEqual([
      result(2, { stopReason: "end_turn" }),
    ]);
  });

  test("values are not touched: arguments, raw input, _meta, extensions", () => {
    const inner = { session_id: "keep", tool_call_id: "keep" };
    expect(read(client(), ask([], { arguments: inner, _meta: inner }))).toMatchObject([
      { params: { toolCall: { rawInput: inner, _meta: inner } } },
    ]);
    const extension = request(5, "_vendor/x", inner);
    expect(read(client(), extension)).toEqual([extension]);
    expect(read(agent(), extension)).toEqual([extension]);
    const rewriter = client();
    write(rewriter, request(6, "_vendor/x", {}));
    const answer = result(6, { stop_reason: "error" });
    expect(read(rewriter, answer)).toEqual([answer]);
  });

  test("a key __proto__ stays a key", () => {
    const wire = overTheWire(
      JSON.parse(
        '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"session_id":"s","__proto__":{"x":1}}}',
      ),
    );
    const [message] = read(agent(), wire);
    expect(JSON.stringify(message?.["params"])).toBe('{"sessionId":"s","__proto__":{"x":1}}');
  });
});

describe("the failed turn", () => {
  test("the client reads stop reason error as -32603", () => {
    const client = crowDialect("client");
    write(client, request(1, "session/prompt", { sessionId: "s", prompt: [] }));
    expect(read(client, result(1, { stop_reason: "error" }))).toMatchObject([
      { jsonrpc: "2.0", id: 1, error: { code: -32603, data: { stopReason: "error" } } },
    ]);
  });

  test("the agent writes -32603 as stop reason error, and other errors as they are", () => {
    const agent = crowDialect("agent");
    const prompt = (id: number) =>
      read(agent, request(id, "session/prompt", { session_id: "s", prompt: [] }));
    prompt(1);
    expect(write(agent, failure(1, -32603, "boom"))).toEqual([result(1, { stop_reason: "error" })]);
    prompt(2);
    expect(write(agent, failure(2, -32000, "log in"))).toEqual([failure(2, -32000, "log in")]);
    read(agent, request(3, "session/new", { cwd: "/", mcpServers: [] }));
    expect(write(agent, failure(3, -32603, "boom"))).toEqual([failure(3, -32603, "boom")]);
  });
});

test("what crow has no word for is sent as it is, for the peer to refuse", () => {
  const list = request(1, "session/list", {});
  expect(write(crowDialect("client"), list)).toEqual([list]);
  const readFile = request(1, "fs/read_text_file", { sessionId: "s", path: "/a" });
  expect(write(crowDialect("agent"), readFile)).toEqual([readFile]);
});

test("servers on session/load are sent when there are any", () => {
  const mcpServers = [{ name: "m", command: "c", args: [], env: [] }];
  expect(
    write(
      crowDialect("client"),
      request(1, "session/load", { sessionId: "s", cwd: "/", mcpServers }),
    ),
  ).toEqual([request(1, "session/load", { session_id: "s", cwd: "/", mcpServers })]);
});

import { describe, expect, test } from "vitest";
import { crowDialect } from "../../../../src/protocol/acp/index.ts";
import { failure, notification, request, result } from "../../../support/messages.ts";
import { read, write, crowPermissionRequest } from "./messages.ts";
import type { JsonObject } from "../../../../src/base/index.ts";

describe("an answer to a crow agent's permission request", () => {
  const params = (toolCallId: string) => ({
    sessionId: "s",
    toolCall: { toolCallId, title: "x" },
    options: [{ optionId: "approve", name: "A", kind: "allow_once" }],
  });
  const cancelled = { outcome: { outcome: "cancelled" } };
  const response = (fields: object) => notification("permission_response", fields);
  const agentWithRequest = () => {
    const agent = crowDialect("agent");
    write(agent, request(1, "session/request_permission", params("t")));
    return agent;
  };

  test.each([
    { option_id: "allow_everything" },
    { option_id: null },
    { option_id: ["approve"] },
    {},
  ])("counts as cancelled when the option was not offered: %j", (fields) => {
    expect(
      read(agentWithRequest(), response({ session_id: "s", tool_call_id: "t", ...fields })),
    ).toEqual([result(1, cancelled)]);
  });

  test("is dropped when the request is unknown or already answered", () => {
    const agent = agentWithRequest();
    const yes = response({ session_id: "s", tool_call_id: "t", option_id: "approve" });
    expect(read(agent, response({ session_id: "z", tool_call_id: "t" }))).toEqual([]);
    expect(read(agent, response({ session_id: "s", tool_call_id: "z" }))).toEqual([]);
    expect(read(agent, yes)).toHaveLength(1);
    expect(read(agent, yes)).toEqual([]);
  });

  test("goes to the oldest of two requests for one tool call", () => {
    const agent = agentWithRequest();
    write(agent, request(2, "session/request_permission", params("t")));
    const yes = response({ session_id: "s", tool_call_id: "t", option_id: "approve" });
    expect(read(agent, yes)).toMatchObject([{ id: 1 }]);
    expect(read(agent, yes)).toMatchObject([{ id: 2 }]);
  });

  test("is acknowledged when it comes as a request", () => {
    const agent = agentWithRequest();
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

  test("is added for every pending request of the session after a cancel", () => {
    const agent = agentWithRequest();
    write(agent, request(2, "session/request_permission", { ...params("u"), sessionId: "other" }));
    expect(read(agent, notification("cancel", { session_id: "s" }))).toEqual([
      notification("session/cancel", { sessionId: "s" }),
      result(1, cancelled),
    ]);
    const late = response({ session_id: "other", tool_call_id: "u", option_id: "approve" });
    expect(read(agent, late)).toMatchObject([{ id: 2 }]);
  });

  test("is dropped after the agent cancelled its request", () => {
    const agent = agentWithRequest();
    expect(write(agent, notification("$/cancel_request", { requestId: 1 }))).toEqual([]);
    expect(
      read(agent, response({ session_id: "s", tool_call_id: "t", option_id: "approve" })),
    ).toEqual([]);
  });
});

test("a crow agent writes -32603 as the stop reason error, and other errors unchanged", () => {
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

test("a request that crow does not have is sent unchanged, for the client to deny", () => {
  const readFile = request(1, "fs/read_text_file", { sessionId: "s", path: "/a" });
  expect(write(crowDialect("agent"), readFile)).toEqual([readFile]);
});

describe("a crow client's answer to a permission request", () => {
  const options = [
    { id: "approve", title: "Approve" },
    { id: "reject", title: "Reject" },
  ];
  const answered = (given: readonly object[], answer: (id: unknown) => JsonObject) => {
    const client = crowDialect("client");
    const [permissionRequest] = read(client, crowPermissionRequest(given));
    const [message] = write(client, answer(permissionRequest?.["id"]));
    return message;
  };

  test("is the reject_once option for cancelled", () => {
    const message = answered(options, (id) => result(id, { outcome: { outcome: "cancelled" } }));
    expect(message).toMatchObject({ params: { option_id: "reject" } });
  });

  test("is the reject_once option for an error and for an unknown outcome", () => {
    expect(answered(options, (id) => failure(id, -32603, "boom"))).toMatchObject({
      params: { option_id: "reject" },
    });
    expect(
      answered(options, (id) =>
        result(id, { outcome: { outcome: "granted", optionId: "approve" } }),
      ),
    ).toMatchObject({ params: { option_id: "reject" } });
  });

  test("is null when there is no reject_once option", () => {
    const unclear = [
      { id: "a", title: "Reject" },
      { id: "yes", title: "Yes" },
    ];
    const cancelled = (id: unknown) => result(id, { outcome: { outcome: "cancelled" } });
    expect(answered(unclear, cancelled)).toMatchObject({ params: { option_id: null } });
    const rejectAlways = [{ id: "reject_always", title: "Never" }];
    expect(answered(rejectAlways, cancelled)).toMatchObject({ params: { option_id: null } });
  });

  test("is sent once, and every request has its own id", () => {
    const client = crowDialect("client");
    const [first] = read(client, crowPermissionRequest(options));
    const [second] = read(client, crowPermissionRequest(options));
    expect(first?.["id"]).not.toBe(second?.["id"]);
    const yes = { outcome: { outcome: "selected", optionId: "approve" } };
    expect(write(client, result(first?.["id"], yes))[0]).toHaveProperty("method");
    const again = result(first?.["id"], yes);
    expect(write(client, again)).toEqual([again]);
  });

  test("has a configurable form", () => {
    const client = crowDialect("client", {
      permissionAnswer: "request",
      permissionMethod: "session/permission",
    });
    const [permissionRequest] = read(client, crowPermissionRequest(options));
    const yes = { outcome: { outcome: "selected", optionId: "approve" } };
    const [message] = write(client, result(permissionRequest?.["id"], yes));
    expect(message).toMatchObject({
      method: "session/permission",
      params: { session_id: "s", tool_call_id: "t", option_id: "approve" },
    });
    expect(message?.["id"]).toBeTypeOf("number");
    expect(read(client, result(message?.["id"], {}))).toEqual([]);
  });
});

test("a crow client reads the stop reason error as -32603", () => {
  const client = crowDialect("client");
  write(client, request(1, "session/prompt", { sessionId: "s", prompt: [] }));
  expect(read(client, result(1, { stop_reason: "error" }))).toMatchObject([
    { jsonrpc: "2.0", id: 1, error: { code: -32603, data: { stopReason: "error" } } },
  ]);
});

test("a request that crow does not have is sent unchanged, for the agent to deny", () => {
  const list = request(1, "session/list", {});
  expect(write(crowDialect("client"), list)).toEqual([list]);
});

test("a crow client sends MCP servers on session/load if there are any", () => {
  const mcpServers = [{ name: "m", command: "c", args: [], env: [] }];
  expect(
    write(
      crowDialect("client"),
      request(1, "session/load", { sessionId: "s", cwd: "/", mcpServers }),
    ),
  ).toEqual([request(1, "session/load", { session_id: "s", cwd: "/", mcpServers })]);
});

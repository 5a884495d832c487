import { describe, expect, test } from "vitest";

import { crowDialect } from "../../../../src/protocol/acp/index.ts";
import type { JsonObject } from "../../../../src/base/index.ts";
import { crowPermissionRequest, failure, read, request, result, write } from "./messages.ts";

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

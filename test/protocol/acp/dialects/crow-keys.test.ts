import { describe, expect, test } from "vitest";

import { crowDialect } from "../../../../src/protocol/acp/index.ts";
import { crowPermissionRequest, overTheWire, read, request, result, write } from "./messages.ts";

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

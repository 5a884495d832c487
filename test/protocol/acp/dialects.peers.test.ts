/** The dialects at work, between a connection and a peer. */
import { expect, test } from "vitest";

import {
  crowDialect,
  detectingRewriter,
  retryInitializeInCrow,
} from "../../../src/protocol/acp/index.ts";
import { RpcError } from "../../../src/transport/rpc/errors.ts";
import { Peer } from "../../../src/transport/rpc/peer.ts";
import { memoryPair } from "../../../src/transport/wire/channels/memory.ts";

/** A channel for a peer, with plain lines on the other end. */
function lineEnd() {
  const [near, far] = memoryPair();
  const lines: unknown[] = [];
  const waiting: (() => void)[] = [];
  far.open((line) => {
    lines.push(JSON.parse(line));
    for (const wake of waiting.splice(0)) wake();
  });
  const received = async (count: number): Promise<unknown[]> => {
    while (lines.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return lines;
  };
  const send = (message: object) => far.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return { channel: near, send, received };
}

test("an agent answers a crow cancel request and sees a notification", async () => {
  const { channel, send, received } = lineEnd();
  const seen: unknown[] = [];
  const peer = new Peer(channel, {
    rewriter: detectingRewriter("agent"),
    handlers: {
      request(method) {
        if (method === "initialize") return { protocolVersion: 1 };
        throw RpcError.methodNotFound(method);
      },
      notification: (method, params) => void seen.push([method, params]),
    },
  });
  await send({ id: 1, method: "initialize", params: { protocol_version: 1 } });
  await send({ id: 5, method: "cancel", params: { session_id: "s" } });
  const lines = await received(2);
  expect(lines[0]).toMatchObject({ id: 1, result: { protocol_version: 1 } });
  expect(lines[1]).toEqual({ jsonrpc: "2.0", id: 5, result: {} });
  expect(seen).toEqual([["session/cancel", { sessionId: "s" }]]);
  await peer.close();
});

test("a client repeats initialize in crow, prompts, answers a permission request and cancels", async () => {
  const { channel, send, received } = lineEnd();
  const rewriter = detectingRewriter("client");
  const asked: unknown[] = [];
  const peer = new Peer(channel, {
    rewriter,
    handlers: {
      request(method, params) {
        asked.push([method, params]);
        return { outcome: { outcome: "selected", optionId: "approve" } };
      },
    },
  });
  const initialized = retryInitializeInCrow(rewriter, () =>
    peer.call("initialize", { protocolVersion: 1 }),
  );
  await received(1);
  await send({ id: 1, error: { code: -32602, message: "Invalid params" } });
  expect((await received(2))[1]).toMatchObject({ params: { protocol_version: 1 } });
  await send({ id: 2, result: { protocol_version: 1 } });
  await expect(initialized).resolves.toEqual({ protocolVersion: 1 });

  const turn = peer.call("session/prompt", { sessionId: "s", prompt: [] });
  expect((await received(3))[2]).toMatchObject({ id: 3, params: { session_id: "s" } });
  const update = {
    "@type": "permission_request",
    tool_call_id: "t",
    title: "terminal",
    permission_options: [{ id: "approve", title: "Approve" }],
  };
  await send({ method: "session/update", params: { sessionId: "s", update } });
  expect((await received(4))[3]).toEqual({
    jsonrpc: "2.0",
    method: "permission_response",
    params: { session_id: "s", tool_call_id: "t", option_id: "approve" },
  });
  expect(asked).toHaveLength(1);

  await peer.notify("session/cancel", { sessionId: "s" });
  const cancel = (await received(5))[4];
  expect(cancel).toMatchObject({ method: "cancel", params: { session_id: "s" } });
  const id =
    cancel !== null && typeof cancel === "object" && "id" in cancel ? cancel.id : undefined;
  await send({ id, error: { code: -32601, message: "Method not found" } });
  await send({ id: 3, result: { stop_reason: "cancelled" } });
  await expect(turn).resolves.toEqual({ stopReason: "cancelled" });
  expect(peer.stats.strayResponses).toBe(0);
  await peer.close();
});

test("two crow ends behave like two canonical ends", async () => {
  const [left, right] = memoryPair();
  const agent: Peer = new Peer(left, {
    rewriter: crowDialect("agent"),
    handlers: {
      async request(method) {
        if (method !== "session/prompt") throw RpcError.methodNotFound(method);
        await agent.notify("session/update", {
          sessionId: "s",
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" } },
        });
        const answer = await agent.call("session/request_permission", {
          sessionId: "s",
          toolCall: { toolCallId: "t", title: "x" },
          options: [{ optionId: "o", name: "O", kind: "allow_once" }],
        });
        if (JSON.stringify(answer).includes('"o"')) return { stopReason: "end_turn" };
        throw new Error("not allowed");
      },
    },
  });
  const seen: unknown[] = [];
  const client = new Peer(right, {
    rewriter: crowDialect("client"),
    handlers: {
      request: () => ({ outcome: { outcome: "selected", optionId: "o" } }),
      notification: (_, params) => void seen.push(params),
    },
  });
  await expect(client.call("session/prompt", { sessionId: "s", prompt: [] })).resolves.toEqual({
    stopReason: "end_turn",
  });
  expect(seen).toMatchObject([{ update: { sessionUpdate: "agent_message_chunk" } }]);
  await client.close();
  await agent.close();
});

// The gate behind a real connection, as an agent sees it on the wire.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentGate } from "../../../src/client/gate/gate.ts";
import type { GateOptions } from "../../../src/client/gate/access.ts";
import type { PermissionDecision } from "../../../src/client/gate/permissions/policy.ts";
import { localTerminals } from "../../../src/client/gate/providers/local-terminals.ts";
import { Peer } from "../../../src/transport/rpc/peer.ts";
import { memoryPair } from "../../../src/transport/wire/channels/memory.ts";
import { TestSession, OPTIONS } from "./harness.ts";
import { scratch } from "./scratch.ts";

/** An agent and a client with a gate, connected in memory. */
function connected(options: GateOptions) {
  const tree = scratch();
  const gate = new AgentGate(options);
  const session = new TestSession("s1", [tree.top], gate);
  const [near, far] = memoryPair();
  const client = new Peer(near, {
    handlers: {
      request: (method, params, context) =>
        gate.request(method, params, context, (id) => (id === session.id ? session : undefined)),
      notification: (_method, params) => {
        if (typeof params === "object" && params) session.update({ ...params });
      },
    },
  });
  const agent = new Peer(far);
  return {
    tree,
    session,
    agent,
    gate,
    async [Symbol.asyncDispose]() {
      await gate.close();
      await Promise.all([agent.close(), client.close()]);
      tree[Symbol.dispose]();
    },
  };
}

describe("the gate over a connection", () => {
  it("judges a permission request by the tool call reported just before it", async () => {
    await using c = connected({ permissions: "write" });
    void c.agent.notify("update", { toolCallId: "t1", kind: "edit" });
    const answer = await c.agent.call("session/request_permission", {
      sessionId: "s1",
      toolCall: { toolCallId: "t1" },
      options: OPTIONS,
    });
    expect(answer).toEqual({ outcome: { outcome: "selected", optionId: "once" } });
  });

  it("answers other requests while a question is open, and ends the question with the turn", async () => {
    await using c = connected({
      permissions: { policy: "read", ask: () => new Promise<PermissionDecision>(() => {}) },
    });
    writeFileSync(join(c.tree.top, "a"), "x");
    const question = c.agent.call("session/request_permission", {
      sessionId: "s1",
      toolCall: { toolCallId: "t1", kind: "edit" },
      options: OPTIONS,
    });
    const read = { sessionId: "s1", path: join(c.tree.top, "a") };
    expect(await c.agent.call("fs/read_text_file", read)).toEqual({ content: "x" });
    c.session.cancel();
    expect(await question).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("sends errors with their code and data", async () => {
    await using c = connected({});
    const read = { sessionId: "s1", path: join(c.tree.top, "none") };
    await expect(c.agent.call("fs/read_text_file", read)).rejects.toMatchObject({
      code: -32002,
      data: { uri: expect.stringMatching(/^file:\/\/.*none$/), reason: "not-found" },
    });
    await expect(c.agent.call("fs/read_text_file", { path: 5 })).rejects.toMatchObject({
      code: -32602,
      data: { errors: [{ path: "sessionId" }, { path: "path" }] },
    });
    await expect(c.agent.call("_vendor/ask", {})).rejects.toMatchObject({ code: -32601 });
  });

  it.runIf(process.platform !== "win32")("lets an agent stop waiting for a command", async () => {
    await using c = connected({
      permissions: "all",
      terminal: localTerminals({ shell: ["sh", "-c"] }),
    });
    const command = { sessionId: "s1", command: "sleep 300" };
    const created = (await c.agent.call("terminal/create", command)) as { terminalId: string };
    const abort = new AbortController();
    const params = { sessionId: "s1", terminalId: created.terminalId };
    const waiting = c.agent.call("terminal/wait_for_exit", params, { signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toThrow("cancelled");
    expect(await c.agent.call("terminal/output", params)).toEqual({ output: "", truncated: false });
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeAndData, EVERYTHING, harness, METHODS, OPTIONS, TestSession } from "./harness.ts";
import { AgentGate, gateCapabilities } from "../../../src/client/gate/gate.ts";
import type { GateOptions } from "../../../src/client/gate/access.ts";
import type { PermissionDecision } from "../../../src/protocol/acp/index.ts";
import { localTerminals } from "../../../src/client/gate/providers/local-terminals.ts";
import { Peer } from "../../../src/transport/rpc/peer.ts";
import { memoryPair } from "../../../src/transport/wire/channels/memory.ts";
import { scratch } from "./scratch.ts";
import { clientHas } from "../../../src/protocol/acp/capabilities.ts";
import { strictFaults } from "../../support/schema.ts";

describe("a request to the gate", () => {
  it.each([
    "fs/list",
    "session/update",
    "elicitation/complete",
    "session/prompt",
    "_vendor/thing",
    "",
    "constructor",
    "__proto__",
  ])("fails with -32601 if the method is unknown: %j", async (method) => {
    await using h = harness(EVERYTHING);
    expect(codeAndData(await h.failure(method, {}))).toEqual({ code: -32601, data: { method } });
  });

  it.each(METHODS)(
    "fails with -32602 and a list of all faults if the params of %s are wrong",
    async (method) => {
      await using h = harness(EVERYTHING);
      const error = await h.failure(method, { sessionId: 5, path: "relative", mode: "form" });
      expect(error.rpcCode).toBe(-32602);
      expect(error.data).toMatchObject({
        errors: expect.arrayContaining([{ path: "sessionId", message: expect.any(String) }]),
      });
    },
  );

  it.each([
    ["session/request_permission", { toolCall: { toolCallId: "t" }, options: [] }],
    ["fs/read_text_file", { path: "/x" }],
    ["fs/write_text_file", { path: "/x", content: "" }],
    ["terminal/create", { command: "ls" }],
    ["elicitation/create", { mode: "form", message: "?", requestedSchema: {} }],
  ])("fails with -32002 if %s names an unknown session", async (method, params) => {
    await using h = harness(EVERYTHING);
    const error = await h.failure(method, { ...params, sessionId: "unknown" });
    expect(codeAndData(error)).toEqual({ code: -32002, data: { sessionId: "unknown" } });
  });

  it("does not wait for other requests", async () => {
    await using h = harness({ permissions: { policy: "read", ask: () => new Promise(() => {}) } });
    writeFileSync(join(h.tree.ws, "a"), "x");
    const stuck = h.ask("session/request_permission", {
      toolCall: { toolCallId: "t", kind: "edit" },
      options: [],
    });
    const read = () => h.ask("fs/read_text_file", { path: join(h.tree.ws, "a") });
    expect(await Promise.all([read(), read()])).toEqual([{ content: "x" }, { content: "x" }]);
    h.session.cancel();
    expect(await stuck).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("fails after the gate has closed", async () => {
    await using h = harness(EVERYTHING);
    await h.gate.close();
    expect((await h.failure("terminal/create", { command: "touch x" })).rpcCode).toBe(-32601);
    expect((await h.failure("fs/read_text_file", { path: join(h.tree.ws, "a") })).rpcCode).toBe(
      -32601,
    );
  });
});

describe("a notification to the gate", () => {
  it.each(["_vendor/thing", "session/other", "fs/changed"])(
    "is not handled if its method is %s",
    async (method) => {
      await using h = harness(EVERYTHING);
      expect(h.gate.notification(method, {})).toBe(false);
    },
  );

  it("is handled if it completes an elicitation, even an unknown one", async () => {
    await using h = harness(EVERYTHING);
    expect(h.gate.notification("elicitation/complete", { elicitationId: "ghost" })).toBe(true);
    expect(h.gate.notification("elicitation/complete", null)).toBe(true);
  });
});

describe("the log of the gate", () => {
  it("has permission decisions without titles, commands, contents and variables", async () => {
    await using h = harness({ ...EVERYTHING });
    const secret = "hunter2";
    await h.ask("session/request_permission", {
      toolCall: { toolCallId: "t", kind: "execute", title: secret, rawInput: { command: secret } },
      options: [{ optionId: "o", name: secret, kind: "allow_once" }],
    });
    const terminal = await h.ask("terminal/create", {
      command: "true",
      args: [secret],
      env: [{ name: "KEY", value: secret }],
    });
    await h.ask("terminal/wait_for_exit", terminal as object);
    expect(
      h.logs.filter(({ message }) => message === "permission").map(({ fields }) => fields),
    ).toEqual([
      {
        sessionId: "s1",
        kind: "execute",
        subject: "tool_call",
        by: "policy",
        outcome: "allow_once",
      },
      {
        sessionId: "s1",
        kind: "execute",
        subject: "terminal",
        by: "policy",
        outcome: "allow_once",
      },
    ]);
    expect(JSON.stringify(h.logs)).not.toContain(secret);
  });
});

// The gate behind a real connection, as an agent sees it on the wire.

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
      rpcCode: -32002,
      data: { uri: expect.stringMatching(/^file:\/\/.*none$/), reason: "not-found" },
    });
    await expect(c.agent.call("fs/read_text_file", { path: 5 })).rejects.toMatchObject({
      rpcCode: -32602,
      data: { errors: [{ path: "sessionId" }, { path: "path" }] },
    });
    await expect(c.agent.call("_vendor/ask", {})).rejects.toMatchObject({ rpcCode: -32601 });
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

describe("the advertised capabilities", () => {
  it.each<[string, GateOptions, object]>([
    [
      "contain only reading by default",
      {},
      { fs: { readTextFile: true, writeTextFile: false }, terminal: false },
    ],
    [
      "contain everything that is switched on and has a provider",
      EVERYTHING,
      {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        elicitation: { form: {}, url: {} },
      },
    ],
    [
      "leave out everything that is switched off",
      {
        ...EVERYTHING,
        capabilities: { fs: { readTextFile: false }, terminal: false, elicitation: null },
      },
      { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    ],
    [
      "contain terminals and elicitation without a provider if they are switched on for sessions that have one",
      { capabilities: { terminal: true, elicitation: { form: {} } } },
      {
        fs: { readTextFile: true, writeTextFile: false },
        terminal: true,
        elicitation: { form: {} },
      },
    ],
    [
      "leave out reading if a provider with paths of its own cannot read",
      { fs: { provider: { realpath: (path) => path } } },
      { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    ],
    [
      "contain reading if a provider with paths of its own can read",
      { fs: { provider: { realpath: (path) => path, readTextFile: () => "" } } },
      { fs: { readTextFile: true, writeTextFile: false }, terminal: false },
    ],
    [
      "contain capabilities outside the gate as given",
      { capabilities: { auth: { terminal: true }, session: { notices: {} }, _meta: { a: 1 } } },
      {
        auth: { terminal: true },
        session: { notices: {} },
        _meta: { a: 1 },
        fs: { readTextFile: true, writeTextFile: false },
        terminal: false,
      },
    ],
  ])("%s", (_case, options, advertised) => {
    expect(gateCapabilities(options)).toEqual(advertised);
    expect(new AgentGate(options).capabilities).toEqual(advertised);
    expect(strictFaults("ClientCapabilities", advertised)).toEqual([]);
  });

  it("decide what is answered: everything else fails with -32601", async () => {
    await using h = harness({ capabilities: { fs: { readTextFile: false } } });
    for (const method of METHODS) {
      const error = await h.failure(method, {});
      const isOpen = method === "session/request_permission";
      expect([method, error.rpcCode]).toEqual([method, isOpen ? -32602 : -32601]);
    }
    expect(clientHas(h.gate.capabilities, "fs.readTextFile")).toBe(false);
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientHas } from "../../src/acp/capabilities.ts";
import { createGate } from "../../src/client/gate/gate.ts";
import { gateCapabilities, type GateOptions } from "../../src/client/gate/options.ts";
import { localTerminals } from "../../src/client/gate/providers/local-terminals.ts";
import { strictFaults } from "../support/schema.ts";
import { harness, wire } from "./gate-harness.ts";

const METHODS = [
  "session/request_permission",
  "fs/read_text_file",
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/wait_for_exit",
  "terminal/kill",
  "terminal/release",
  "elicitation/create",
] as const;

const everything: GateOptions = {
  permissions: "all",
  capabilities: { fs: { writeTextFile: true } },
  terminal: localTerminals(),
  elicitation: { form: () => ({ action: "decline" }), url: () => ({ action: "decline" }) },
};

describe("what is advertised", () => {
  it.each<[string, GateOptions, object]>([
    [
      "nothing but reading, by default",
      {},
      { fs: { readTextFile: true, writeTextFile: false }, terminal: false },
    ],
    [
      "what is switched on and provided",
      everything,
      {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        elicitation: { form: {}, url: {} },
      },
    ],
    [
      "not what is switched off",
      {
        ...everything,
        capabilities: { fs: { readTextFile: false }, terminal: false, elicitation: null },
      },
      { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    ],
    [
      "no terminal without a provider, whatever is claimed",
      { capabilities: { terminal: true, elicitation: { form: {} } } },
      { fs: { readTextFile: true, writeTextFile: false }, terminal: false },
    ],
    [
      "what is not the gate's, as it is given",
      { capabilities: { auth: { terminal: true }, session: { notices: {} }, _meta: { a: 1 } } },
      {
        auth: { terminal: true },
        session: { notices: {} },
        _meta: { a: 1 },
        fs: { readTextFile: true, writeTextFile: false },
        terminal: false,
      },
    ],
  ])("is %s", (_what, options, advertised) => {
    expect(gateCapabilities(options)).toEqual(advertised);
    expect(createGate(options).capabilities).toEqual(advertised);
    expect(strictFaults("ClientCapabilities", advertised)).toEqual([]);
  });

  it("is what is answered: everything else is -32601", async () => {
    await using h = harness({ capabilities: { fs: { readTextFile: false } } });
    for (const method of METHODS) {
      const error = await h.refused(method, {});
      const isOpen = method === "session/request_permission";
      expect([method, error.code]).toEqual([method, isOpen ? -32602 : -32601]);
    }
    expect(clientHas(h.gate.capabilities, "fs.readTextFile")).toBe(false);
  });
});

describe("requests", () => {
  it.each([
    "fs/list",
    "session/update",
    "elicitation/complete",
    "session/prompt",
    "_vendor/thing",
    "",
    "constructor",
    "__proto__",
  ])("of the unknown method %j are answered with -32601", async (method) => {
    await using h = harness(everything);
    expect(wire(await h.refused(method, {}))).toEqual({ code: -32601, data: { method } });
  });

  it.each(METHODS)(
    "of %s with wrong params are answered with -32602 and every fault",
    async (method) => {
      await using h = harness(everything);
      const error = await h.refused(method, { sessionId: 5, path: "relative", mode: "form" });
      expect(error.code).toBe(-32602);
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
  ])("of %s for an unknown session are answered with -32002", async (method, params) => {
    await using h = harness(everything);
    const error = await h.refused(method, { ...params, sessionId: "stranger" });
    expect(wire(error)).toEqual({ code: -32002, data: { sessionId: "stranger" } });
  });

  it("are served side by side", async () => {
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

  it("after the gate has closed reach nothing", async () => {
    await using h = harness(everything);
    await h.gate.close();
    expect((await h.refused("terminal/create", { command: "touch x" })).code).toBe(-32601);
    expect((await h.refused("fs/read_text_file", { path: join(h.tree.ws, "a") })).code).toBe(
      -32601,
    );
  });
});

describe("notifications", () => {
  it.each(["_vendor/thing", "session/other", "fs/changed"])(
    "of %s are not the gate's",
    async (method) => {
      await using h = harness(everything);
      expect(h.gate.notification(method, {})).toBe(false);
    },
  );

  it("of a completed elicitation are, though nobody waits for it", async () => {
    await using h = harness(everything);
    expect(h.gate.notification("elicitation/complete", { elicitationId: "ghost" })).toBe(true);
    expect(h.gate.notification("elicitation/complete", null)).toBe(true);
  });
});

describe("the log", () => {
  it("has decisions without titles, commands, contents and variables", async () => {
    await using h = harness({ ...everything });
    const secret = "hunter2";
    await h.ask("session/request_permission", {
      toolCall: { toolCallId: "t", kind: "execute", title: secret, rawInput: { command: secret } },
      options: [{ optionId: "o", name: secret, kind: "allow_once" }],
    });
    const made = await h.ask("terminal/create", {
      command: "true",
      args: [secret],
      env: [{ name: "KEY", value: secret }],
    });
    await h.ask("terminal/wait_for_exit", made as object);
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

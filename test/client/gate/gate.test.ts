import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeAndData, EVERYTHING, harness, METHODS } from "./harness.ts";

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
    expect((await h.failure("terminal/create", { command: "touch x" })).code).toBe(-32601);
    expect((await h.failure("fs/read_text_file", { path: join(h.tree.ws, "a") })).code).toBe(
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

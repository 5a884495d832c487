import { describe, expect, it } from "vitest";
import {
  ProtocolViolation,
  RpcError,
  type Turn,
  TurnCancelledError,
  TurnEndedError,
} from "../../../src/entries/agent.ts";
import {
  type Answer,
  errorOf,
  EVERYTHING,
  inTurn,
  isJson,
  type Json,
  opened,
  serve,
} from "../harness.ts";
import { once } from "node:events";
import { deferred } from "../../../src/base/index.ts";
import { permissionOptionsFor, toPermissionAnswer } from "../../../src/agent/turn/questions.ts";

describe("a turn", () => {
  it("has the session, the prompt and the prompt's text", async () => {
    let given: Turn<object> | undefined;
    const { client, sessionId } = await opened(async (turn) => {
      given = turn;
    });
    const prompt = [
      { type: "text", text: "one" },
      { type: "resource_link", uri: "file:///x", name: "x" },
      { type: "text", text: "two" },
    ];
    expect(await client.call("session/prompt", { sessionId, prompt })).toEqual({
      stopReason: "end_turn",
    });
    expect(given?.session.id).toBe(sessionId);
    expect(given?.session.cwd).toBe(process.cwd());
    expect(given?.prompt).toEqual(prompt);
    expect(given?.text).toBe("one\ntwo");
  });

  it("sends all its updates before the answer, awaited or not", async () => {
    const { client, sessionId } = await opened(async (turn) => {
      for (let i = 0; i < 500; i++) void turn.say(`${i} `);
    });
    expect(await client.prompt(sessionId, "go")).toBe("end_turn");
    expect(client.updates).toHaveLength(500);
    expect(client.text()).toBe(Array.from({ length: 500 }, (_, i) => `${i} `).join(""));
  });

  it("gives all parts of a message the same id, and the next message another", async () => {
    const { client } = await serve(async (turn) => {
      await turn.say("a");
      await turn.say("b");
      await turn.think("c");
      await turn.say("d");
      await (await turn.toolCall({ title: "t" })).complete();
      await turn.say("e");
    });
    await client.prompt(await client.newSession(), "go");
    const ids = client.updates.flatMap((update) => update["messageId"] ?? []);
    expect(ids).toHaveLength(5);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(4);
  });

  it("cannot send after its end, while the session still can", async () => {
    let turn: Turn<object> | undefined;
    const { client, sessionId } = await opened(async (given) => {
      turn = given;
    });
    await client.prompt(sessionId, "x");
    await expect(turn?.say("late")).rejects.toThrow(TurnEndedError);
    await expect(turn?.readFile("/x")).rejects.toThrow(TurnEndedError);
    await turn?.session.usage({ used: 1, size: 2 });
    await turn?.session.commands([{ name: "x", description: "y" }]);
    await turn?.session.title(null);
    await client.waitFor("update session_info_update");
    expect(client.log).toEqual([
      "update usage_update",
      "update available_commands_update",
      "update session_info_update",
    ]);
  });

  it("reads and writes files through the client", async () => {
    const asked: Json[] = [];
    const { value, sessionId } = await inTurn(
      async (turn) => {
        await turn.writeFile("/w", "text");
        return [await turn.readFile("/r"), await turn.readFile("/r", { line: 2, limit: 1 })];
      },
      {
        "fs/write_text_file": (params) => {
          asked.push(params);
          return null;
        },
        "fs/read_text_file": (params) => {
          asked.push(params);
          return { content: "c" };
        },
      },
    );
    expect(value).toEqual(["c", "c"]);
    expect(asked).toEqual([
      { sessionId, path: "/w", content: "text" },
      { sessionId, path: "/r" },
      { sessionId, path: "/r", line: 2, limit: 1 },
    ]);
  });
});

const untilAborted = async ({ signal }: Turn<object>): Promise<void> => {
  if (!signal.aborted) await once(signal, "abort");
};

describe("the end of a turn", () => {
  it.each([
    ["nothing", undefined, { stopReason: "end_turn" }],
    ["a stop reason", "max_tokens", { stopReason: "max_tokens" }],
    [
      "a stop reason with meta",
      { stopReason: "refusal", meta: { why: 1 } },
      { stopReason: "refusal", _meta: { why: 1 } },
    ],
  ] as const)("can be %s", async (_, result, response) => {
    const { client, sessionId } = await opened(async () => result);
    expect(await client.call("session/prompt", { sessionId, prompt: [] })).toEqual(response);
  });

  it("is the author's RpcError, or an internal error with the message of any other error", async () => {
    const { client, sessionId } = await opened(async (turn) => {
      await turn.say("hm");
      throw turn.text === "own" ? new RpcError(-32050, "Mine", { a: 1 }) : new Error("Oops");
    });
    expect(await errorOf(client.prompt(sessionId, "own"))).toEqual({
      code: -32050,
      message: "Mine",
      data: { a: 1 },
    });
    expect(await errorOf(client.prompt(sessionId, "other"))).toEqual({
      code: -32603,
      message: "Internal error: Oops",
      data: { details: "Oops" },
    });
    expect(client.updates).toHaveLength(2);
  });

  it("is never an error that the client itself sent", async () => {
    const { client } = await serve(async (turn) => void (await turn.readFile("/x")), {
      capabilities: { fs: { readTextFile: true } },
      answers: {
        "fs/read_text_file": () => {
          throw new RpcError(-32601, "nope");
        },
      },
    });
    const error = await errorOf(client.prompt(await client.newSession(), "x"));
    expect(error).toMatchObject({
      code: -32603,
      data: { details: "the client answered fs/read_text_file with -32601: nope" },
    });
  });
});

describe("a cancel", () => {
  it("aborts the signal and ends the turn as cancelled, even if the author's code throws", async () => {
    const { client, sessionId } = await opened(async (turn) => {
      await turn.say("working");
      await untilAborted(turn);
      throw new Error("aborted");
    });
    expect(await client.promptAndCancel(sessionId)).toBe("cancelled");
  });

  it("can follow its prompt on the next line", async () => {
    const { client, sessionId } = await opened(untilAborted);
    const prompt = client.prompt(sessionId, "x");
    void client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
  });

  it("takes precedence over the author's return value", async () => {
    const { client, sessionId } = await opened(async (turn) => {
      await turn.say("working");
      await untilAborted(turn);
      return "end_turn";
    });
    expect(await client.promptAndCancel(sessionId)).toBe("cancelled");
  });

  it("ends a loop that only sends text", async () => {
    const { client, sessionId } = await opened(async (turn) => {
      for (;;) await turn.say("and on ");
    });
    expect(await client.promptAndCancel(sessionId)).toBe("cancelled");
  });

  it("lets no tool call begin after a cancel", async () => {
    const { client, sessionId } = await opened(async (turn) => {
      await turn.say("working");
      await untilAborted(turn);
      await expect(turn.toolCall({ title: "Read" })).rejects.toThrow(TurnCancelledError);
    });
    expect(await client.promptAndCancel(sessionId)).toBe("cancelled");
    expect(client.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      "agent_message_chunk",
    ]);
  });

  it("resolves an open permission request as cancelled, and settles its tool call", async () => {
    let answered: unknown;
    const { client, sessionId } = await opened(
      async (turn) => {
        answered = await turn.askPermission({ title: "Edit", kind: "edit" });
        return "end_turn";
      },
      { answers: { "session/request_permission": () => new Promise(() => {}) } },
    );
    expect(await client.promptAndCancel(sessionId, "session/request_permission")).toBe("cancelled");
    expect(answered).toMatchObject({ allowed: false, outcome: "cancelled", optionId: undefined });
    expect(client.ofKind("tool_call_update")).toMatchObject([{ status: "failed" }]);
  });

  it("rejects open file and terminal requests, and ignores their late answers", async () => {
    const errors: unknown[] = [];
    const late = deferred<object>();
    const { client, sessionId } = await opened(
      async (turn) => {
        const asked = [turn.readFile("/x"), turn.terminal({ command: "x" })];
        for (const request of asked) await request.catch((error: unknown) => errors.push(error));
      },
      {
        capabilities: { fs: { readTextFile: true }, terminal: true },
        answers: {
          "fs/read_text_file": () => new Promise(() => {}),
          "terminal/create": () => late.promise,
          "terminal/release": () => {
            throw new RpcError(-32603, "an answer that nobody waits for");
          },
        },
      },
    );
    expect(await client.promptAndCancel(sessionId, "terminal/create")).toBe("cancelled");
    expect(errors).toHaveLength(2);
    expect(errors.every((error) => error instanceof TurnCancelledError)).toBe(true);
    // The client started the terminal after the cancel, so it still has to be released.
    late.resolve({ terminalId: "t1" });
    await client.waitFor("terminal/release");
    expect(await client.newSession()).not.toBe(sessionId);
  });

  it("does nothing when repeated, after the turn, or for an unknown session", async () => {
    const { client, sessionId } = await opened(async (turn) => {
      if (turn.text !== "wait") return;
      await turn.say("working");
      await untilAborted(turn);
    });
    await client.cancel("unknown");
    await client.cancel(sessionId);
    expect(await client.prompt(sessionId, "x")).toBe("end_turn");
    await client.cancel(sessionId);
    const prompt = client.prompt(sessionId, "wait");
    await client.waitFor("update agent_message_chunk");
    await client.cancel(sessionId);
    await client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
    expect(await client.prompt(sessionId, "x")).toBe("end_turn");
  });

  it("can also be a $/cancel_request for the prompt", async () => {
    const { client, sessionId } = await opened(async (turn) => {
      await turn.say("working");
      await untilAborted(turn);
    });
    const prompt = client.prompt(sessionId, "x");
    await client.waitFor("update agent_message_chunk");
    // initialize had id 1 and session/new id 2.
    await client.peer.notify("$/cancel_request", { requestId: 3 });
    expect(await prompt).toBe("cancelled");
  });

  it("fails the tool calls that are still open", async () => {
    const { client, sessionId } = await opened(async (turn) => {
      const done = await turn.toolCall({ title: "done" });
      await done.complete();
      await turn.toolCall({ title: "open" });
      await untilAborted(turn);
    });
    expect(await client.promptAndCancel(sessionId, "update tool_call_update")).toBe("cancelled");
    const open = client.ofKind("tool_call").find(({ title }) => title === "open");
    const last = client.ofKind("tool_call_update").at(-1);
    expect(isJson(last) && last["toolCallId"] === open?.["toolCallId"]).toBe(true);
    expect(last).toMatchObject({ status: "failed" });
  });
});

describe("a tool call", () => {
  it("is reported, updated and settled", async () => {
    const { client } = await inTurn(async (turn) => {
      const call = await turn.toolCall({
        title: "Read",
        kind: "read",
        rawInput: { a: 1 },
        toolCallId: "t1",
      });
      await call.progress({ locations: [{ path: "/x", line: 3 }] });
      await call.update({ content: [{ type: "content", content: { type: "text", text: "c" } }] });
      await call.complete({ rawOutput: 5 });
      expect(call.settled).toBe(true);
      await (await turn.toolCall({ title: "Bad", status: "pending" })).fail({ title: "Worse" });
    });
    expect(client.updates).toMatchObject([
      { sessionUpdate: "tool_call", toolCallId: "t1", title: "Read", status: "in_progress" },
      { toolCallId: "t1", status: "in_progress", locations: [{ path: "/x", line: 3 }] },
      { toolCallId: "t1", content: [{ type: "content" }] },
      { toolCallId: "t1", status: "completed", rawOutput: 5 },
      { sessionUpdate: "tool_call", title: "Bad", status: "pending" },
      { status: "failed", title: "Worse" },
    ]);
  });

  it("keeps its fields and its status where an update has undefined", async () => {
    const { client } = await inTurn(async (turn) => {
      const call = await turn.toolCall({ title: "Read", kind: undefined, status: undefined });
      await call.complete({ title: undefined, status: undefined, content: undefined });
      expect(call.settled).toBe(true);
    });
    const { toolCallId } = client.updates[0] ?? {};
    expect(client.updates).toEqual([
      { sessionUpdate: "tool_call", toolCallId, title: "Read", status: "in_progress" },
      { sessionUpdate: "tool_call_update", toolCallId, status: "completed" },
    ]);
  });

  const choose = (optionId: string) => ({
    "session/request_permission": () => ({ outcome: { outcome: "selected", optionId } }),
  });
  const statuses = (updates: readonly Json[]) =>
    updates.flatMap(({ status }) => (typeof status === "string" ? [status] : []));

  it("that is still running at the end of the turn completes with it", async () => {
    const { client } = await inTurn(async (turn) => {
      await turn.toolCall({ title: "Read" });
      await (await turn.toolCall({ title: "Search", status: "pending" })).progress();
    });
    expect(statuses(client.updates)).toEqual([
      "in_progress",
      "pending",
      "in_progress",
      "completed",
      "completed",
    ]);
  });

  it("that never ran fails at the end of the turn", async () => {
    const { client } = await inTurn((turn) => turn.toolCall({ title: "Read", status: "pending" }));
    expect(statuses(client.updates)).toEqual(["pending", "failed"]);
  });

  it.each([
    ["allow_once", "completed"],
    ["reject_once", "failed"],
  ])("whose permission is answered with %s and that is left open has %s", async (option, end) => {
    const { client } = await inTurn(async (turn) => {
      const call = await turn.toolCall({ title: "Edit", status: "pending" });
      await call.askPermission();
    }, choose(option));
    expect(statuses(client.updates)).toEqual(["pending", end]);
  });

  it("that was denied and ran later all the same completes", async () => {
    const { client } = await inTurn(async (turn) => {
      const call = await turn.toolCall({ title: "Edit" });
      await call.askPermission();
      await call.progress({ title: "Edit a copy" });
    }, choose("reject_once"));
    expect(statuses(client.updates).at(-1)).toBe("completed");
  });
});

const choose = (optionId: string) => () => ({ outcome: { outcome: "selected", optionId } });

describe("a permission request", () => {
  it("follows its tool call and shows all its details", async () => {
    let asked: Json | undefined;
    const diff = { type: "diff", path: "/x", oldText: "a", newText: "b" } as const;
    const { client, value } = await inTurn(
      (turn) => turn.askPermission({ title: "Edit", kind: "edit", content: [diff] }),
      {
        "session/request_permission": (params) => {
          asked = params;
          return choose("allow_once")();
        },
      },
    );
    expect(value).toMatchObject({ allowed: true, outcome: "selected", optionId: "allow_once" });
    expect(asked).toMatchObject({
      toolCall: { title: "Edit", kind: "edit", content: [diff], status: "pending" },
      options: [{ kind: "allow_once" }, { kind: "reject_once" }],
    });
    expect(client.log).toEqual([
      "update tool_call",
      "session/request_permission",
      "update tool_call_update",
    ]);
    // The author did not settle the allowed call, so it completes with the turn.
    expect(client.updates.at(-1)).toMatchObject({ status: "completed" });
  });

  it("fails its tool call if the user rejects it", async () => {
    const { client, value } = await inTurn((turn) => turn.askPermission({ title: "Edit" }), {
      "session/request_permission": choose("reject_once"),
    });
    expect(value).toMatchObject({ allowed: false, outcome: "selected", optionId: "reject_once" });
    expect(client.updates.at(-1)).toMatchObject({ status: "failed" });
  });

  it("rejects if the answer is invalid", async () => {
    const { value } = await inTurn(
      (turn) => turn.askPermission({ title: "Edit" }).catch((error: unknown) => error),
      { "session/request_permission": () => ({ outcome: { outcome: "sure" } }) },
    );
    expect(value).toBeInstanceOf(ProtocolViolation);
  });

  it("offers one-time options by default, and the author's own options if given", () => {
    const kinds = (options: readonly { kind: string }[]) => options.map(({ kind }) => kind);
    expect(kinds(permissionOptionsFor({}))).toEqual(["allow_once", "reject_once"]);
    expect(kinds(permissionOptionsFor({ always: true }))).toEqual([
      "allow_once",
      "reject_once",
      "allow_always",
      "reject_always",
    ]);
    const own = [{ optionId: "x", name: "X", kind: "allow_always" }] as const;
    expect(permissionOptionsFor({ options: own })).toEqual(own);
  });

  it.each([
    ["allow_once", true, false],
    ["allow_always", true, true],
    ["reject_once", false, false],
    ["reject_always", false, true],
    ["never_offered", false, false],
  ])("understands the answer %s", (optionId, allowed, always) => {
    const options = permissionOptionsFor({ always: true });
    expect(toPermissionAnswer({ outcome: "selected", optionId }, options)).toEqual({
      allowed,
      always,
      outcome: "selected",
      optionId,
    });
  });
});

describe("an elicitation", () => {
  it("asks the user to fill in a form", async () => {
    let asked: Json | undefined;
    const { value } = await inTurn(
      (turn) =>
        turn.elicit({
          message: "m",
          schema: { properties: { a: { type: "string" } }, required: ["a"] },
        }),
      {
        "elicitation/create": (params) => {
          asked = params;
          return { action: "accept", content: { a: "b" } };
        },
      },
    );
    expect(value).toEqual({ action: "accept", content: { a: "b" } });
    expect(asked).toMatchObject({
      mode: "form",
      requestedSchema: { type: "object", required: ["a"] },
    });
  });

  it("asks the user to open a URL and reports when that is done", async () => {
    const { value, client } = await inTurn(
      async (turn) => {
        const answer = await turn.elicitUrl({ message: "m", url: "https://x.example" });
        await answer.complete();
        return answer.action;
      },
      { "elicitation/create": () => ({ action: "accept" }) },
    );
    expect(value).toBe("accept");
    expect(client.log).toEqual(["elicitation/create", "elicitation/complete"]);
  });

  it("resolves with the action cancel if the turn is cancelled", async () => {
    let answered: unknown;
    const { client, sessionId } = await opened(
      async (turn) => {
        answered = await turn.elicit({ message: "m", schema: {} });
      },
      { capabilities: EVERYTHING, answers: { "elicitation/create": () => new Promise(() => {}) } },
    );
    expect(await client.promptAndCancel(sessionId, "elicitation/create")).toBe("cancelled");
    expect(answered).toEqual({ action: "cancel" });
  });
});

describe("a terminal", () => {
  const answers: Record<string, Answer> = {
    "terminal/create": () => ({ terminalId: "t1" }),
    "terminal/output": () => ({ output: "out", truncated: false }),
    "terminal/wait_for_exit": () => ({ exitCode: 3 }),
    "terminal/kill": () => ({}),
    "terminal/release": () => ({}),
  };

  it("runs a command whose output and exit can be read, and which can be killed", async () => {
    let created: Json | undefined;
    const { value, client } = await inTurn(
      async (turn) => {
        const terminal = await turn.terminal({
          command: "make",
          args: ["all"],
          env: { A: "b" },
          cwd: "/x",
          outputByteLimit: 10,
        });
        expect(terminal.content).toEqual({ type: "terminal", terminalId: "t1" });
        await terminal.kill();
        const result = [await terminal.output(), await terminal.waitForExit()];
        await terminal.release();
        await terminal.release();
        return result;
      },
      {
        ...answers,
        "terminal/create": (params) => {
          created = params;
          return { terminalId: "t1" };
        },
      },
    );
    expect(created).toMatchObject({
      command: "make",
      args: ["all"],
      env: [{ name: "A", value: "b" }],
      cwd: "/x",
      outputByteLimit: 10,
    });
    expect(value).toEqual([
      { output: "out", truncated: false, exitStatus: undefined },
      { exitCode: 3, signal: null },
    ]);
    expect(client.log.filter((entry) => entry === "terminal/release")).toHaveLength(1);
  });

  it("is released before the turn's answer, even if the turn fails", async () => {
    const { client, sessionId } = await opened(
      async (turn) => {
        await turn.terminal({ command: "x" });
        if (turn.text === "fail") throw new Error("no");
      },
      {
        capabilities: EVERYTHING,
        answers: { ...answers, "terminal/release": () => new Promise(() => {}) },
      },
    );
    expect(await client.prompt(sessionId, "x")).toBe("end_turn");
    expect(client.log).toEqual(["terminal/create", "terminal/release"]);
    await client.prompt(sessionId, "fail").catch(() => {});
    expect(client.log.slice(2)).toEqual(["terminal/create", "terminal/release"]);
  });
});

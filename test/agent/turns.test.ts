import { once } from "node:events";
import { describe, expect, it } from "vitest";
import {
  RpcError,
  TurnCancelledError,
  TurnEndedError,
  type Turn,
} from "../../src/entries/agent.ts";
import { deferred, promptAgent } from "./definitions.ts";
import { isJson, refusal, serve } from "./harness.ts";

const until = async ({ signal }: Turn<object>): Promise<void> => {
  if (!signal.aborted) await once(signal, "abort");
};

describe("a turn", () => {
  it("has its session, its prompt and its text", async () => {
    let seen: Turn<object> | undefined;
    const { client } = await serve(
      promptAgent(async (turn) => {
        seen = turn;
      }),
    );
    const sessionId = await client.newSession();
    const prompt = [
      { type: "text", text: "one" },
      { type: "resource_link", uri: "file:///x", name: "x" },
      { type: "text", text: "two" },
    ];
    expect(await client.call("session/prompt", { sessionId, prompt })).toEqual({
      stopReason: "end_turn",
    });
    expect(seen?.session.id).toBe(sessionId);
    expect(seen?.session.cwd).toBe(process.cwd());
    expect(seen?.prompt).toEqual(prompt);
    expect(seen?.text).toBe("one\ntwo");
  });

  it.each([
    ["nothing", undefined, { stopReason: "end_turn" }],
    ["a stop reason", "max_tokens", { stopReason: "max_tokens" }],
    [
      "a stop reason with meta",
      { stopReason: "refusal", _meta: { why: 1 } },
      { stopReason: "refusal", _meta: { why: 1 } },
    ],
  ] as const)("may end with %s", async (_, result, response) => {
    const { client } = await serve(promptAgent(async () => result));
    const sessionId = await client.newSession();
    expect(await client.call("session/prompt", { sessionId, prompt: [] })).toEqual(response);
  });

  it("sends all its updates before its answer, awaited or not", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => {
        for (let i = 0; i < 500; i++) void turn.say(`${i} `);
      }),
    );
    const sessionId = await client.newSession();
    expect(await client.prompt(sessionId, "go")).toBe("end_turn");
    expect(client.updates).toHaveLength(500);
    expect(client.text()).toBe(Array.from({ length: 500 }, (_, i) => `${i} `).join(""));
  });

  it("gives one id to the parts of a message and another to the next message", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => {
        await turn.say("a");
        await turn.say("b");
        await turn.think("c");
        await turn.say("d");
        await (await turn.toolCall({ title: "t" })).complete();
        await turn.say("e");
      }),
    );
    await client.prompt(await client.newSession(), "go");
    const ids = client.updates.flatMap((update) => update["messageId"] ?? []);
    expect(ids).toHaveLength(5);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(4);
  });

  it("is the only one of its session: a second prompt is an error, and the first goes on", async () => {
    const gate = deferred();
    const { client } = await serve(
      promptAgent(async (turn) => {
        await turn.say("working");
        await gate.promise;
      }),
    );
    const sessionId = await client.newSession();
    const first = client.prompt(sessionId, "one");
    await client.seen("update agent_message_chunk");
    expect(await refusal(client.prompt(sessionId, "two"))).toEqual({
      code: -32600,
      message: "The session is busy with another prompt; wait for it or cancel it first",
      data: { sessionId },
    });
    gate.resolve();
    expect(await first).toBe("end_turn");
    expect(await client.prompt(sessionId, "three")).toBe("end_turn");
  });

  it("runs beside those of other sessions", async () => {
    const gate = deferred();
    let running = 0;
    const { client } = await serve(
      promptAgent(async () => {
        if (++running === 2) gate.resolve();
        await gate.promise;
      }),
    );
    const [a, b] = [await client.newSession(), await client.newSession()];
    expect(a).not.toBe(b);
    expect(await Promise.all([client.prompt(a, "x"), client.prompt(b, "x")])).toEqual([
      "end_turn",
      "end_turn",
    ]);
  });

  it("fails with the author's own code, or as an internal error with the message", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => {
        await turn.say("hm");
        throw turn.text === "own" ? new RpcError(-32050, "Mine", { a: 1 }) : new Error("Oops");
      }),
    );
    const sessionId = await client.newSession();
    expect(await refusal(client.prompt(sessionId, "own"))).toEqual({
      code: -32050,
      message: "Mine",
      data: { a: 1 },
    });
    expect(await refusal(client.prompt(sessionId, "other"))).toEqual({
      code: -32603,
      message: "Internal error",
      data: { details: "Oops" },
    });
    expect(client.updates).toHaveLength(2);
  });

  it("does not pass a client's error on as the answer to the client's own request", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => void (await turn.readFile("/x"))),
      {
        capabilities: { fs: { readTextFile: true } },
        answers: {
          "fs/read_text_file": () => {
            throw new RpcError(-32601, "nope");
          },
        },
      },
    );
    const refused = await refusal(client.prompt(await client.newSession(), "x"));
    expect(refused).toMatchObject({
      code: -32603,
      data: { details: "fs/read_text_file was answered with -32601: nope" },
    });
  });

  it("is over when it is answered: what comes later is refused, outside of it the session speaks", async () => {
    let turn: Turn<object> | undefined;
    const { client } = await serve(
      promptAgent(async (given) => {
        turn = given;
      }),
    );
    const sessionId = await client.newSession();
    await client.prompt(sessionId, "x");
    await expect(turn?.say("late")).rejects.toThrow(TurnEndedError);
    await expect(turn?.readFile("/x")).rejects.toThrow(TurnEndedError);
    await turn?.session.usage({ used: 1, size: 2 });
    await turn?.session.commands([{ name: "x", description: "y" }]);
    await turn?.session.title(null);
    await client.seen("update session_info_update");
    expect(client.log).toEqual([
      "update usage_update",
      "update available_commands_update",
      "update session_info_update",
    ]);
  });
});

describe("cancel", () => {
  it("aborts the signal and ends the turn as cancelled, whatever the author's code throws", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => {
        await turn.say("working");
        await until(turn);
        throw new Error("aborted");
      }),
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.seen("update agent_message_chunk");
    await client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
  });

  it("may follow its prompt on the very next line", async () => {
    const { client } = await serve(promptAgent(until));
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    void client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
  });

  it("wins over what the author's code returns", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => {
        await turn.say("working");
        await until(turn);
        return "end_turn";
      }),
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.seen("update agent_message_chunk");
    await client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
  });

  it("ends a loop that only streams", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => {
        for (;;) await turn.say("and on ");
      }),
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.seen("update agent_message_chunk");
    await client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
  });

  it("resolves an open permission question as cancelled, and settles its tool call", async () => {
    let answered: unknown;
    const { client } = await serve(
      promptAgent(async (turn) => {
        answered = await turn.askPermission({ title: "Edit", kind: "edit" });
        return "end_turn";
      }),
      { answers: { "session/request_permission": () => new Promise(() => {}) } },
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.seen("session/request_permission");
    await client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
    expect(answered).toMatchObject({ allowed: false, outcome: "cancelled", optionId: undefined });
    expect(client.ofKind("tool_call_update")).toMatchObject([{ status: "failed" }]);
  });

  it("gives up open requests for files and terminals, and their answers come too late", async () => {
    const errors: unknown[] = [];
    const late = deferred<object>();
    const { client } = await serve(
      promptAgent(async (turn) => {
        const asked = [turn.readFile("/x"), turn.terminal({ command: "x" })];
        for (const one of asked) await one.catch((error: unknown) => errors.push(error));
      }),
      {
        capabilities: { fs: { readTextFile: true }, terminal: true },
        answers: {
          "fs/read_text_file": () => new Promise(() => {}),
          "terminal/create": () => late.promise,
          "terminal/release": () => ({}),
        },
      },
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.seen("terminal/create");
    await client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
    expect(errors).toHaveLength(2);
    expect(errors.every((error) => error instanceof TurnCancelledError)).toBe(true);
    // The terminal that was started too late is still released.
    late.resolve({ terminalId: "t1" });
    await client.seen("terminal/release");
  });

  it("comes twice, after the end, or for a session nobody knows, and nothing happens", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => {
        if (turn.text !== "wait") return;
        await turn.say("working");
        await until(turn);
      }),
    );
    const sessionId = await client.newSession();
    await client.cancel("nobody");
    await client.cancel(sessionId);
    expect(await client.prompt(sessionId, "x")).toBe("end_turn");
    await client.cancel(sessionId);
    const prompt = client.prompt(sessionId, "wait");
    await client.seen("update agent_message_chunk");
    await client.cancel(sessionId);
    await client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
    expect(await client.prompt(sessionId, "x")).toBe("end_turn");
  });

  it("may be asked for by $/cancel_request of the prompt itself", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => {
        await turn.say("working");
        await until(turn);
      }),
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.seen("update agent_message_chunk");
    // initialize was 1, session/new 2.
    await client.peer.notify("$/cancel_request", { requestId: 3 });
    expect(await prompt).toBe("cancelled");
  });

  it("leaves no tool call hanging", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => {
        const done = await turn.toolCall({ title: "done" });
        await done.complete();
        await turn.toolCall({ title: "open" });
        await until(turn);
      }),
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.seen("update tool_call_update");
    await client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
    const open = client.ofKind("tool_call").find(({ title }) => title === "open");
    const last = client.ofKind("tool_call_update").at(-1);
    expect(isJson(last) && last["toolCallId"] === open?.["toolCallId"]).toBe(true);
    expect(last).toMatchObject({ status: "failed" });
  });
});

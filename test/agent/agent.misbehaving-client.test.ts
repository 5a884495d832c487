/** Clients that break the rules of the protocol. The agent keeps working or ends cleanly. */
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import {
  type RemoteError,
  TurnCancelledError,
  type AgentDefinition,
  type Turn,
} from "../../src/entries/agent.ts";
import { deferred } from "../../src/base/index.ts";
import { everyMethod, promptAgent } from "./definitions.ts";
import { EVERYTHING, isJson, errorOf, serve, type Json, opened } from "./harness.ts";

const untilAborted = async ({ signal }: Turn<object>): Promise<void> => {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

const everything: AgentDefinition<object> = {
  ...everyMethod,
  modes: () => ({ currentModeId: "a", availableModes: [{ id: "a", name: "A" }] }),
  setMode: () => {},
  configOptions: () => [],
  setConfigOption: () => {},
};

const workspace = { cwd: tmpdir(), mcpServers: [] };
const methods: [string, Json][] = [
  ["authenticate", { methodId: "a" }],
  ["session/new", workspace],
  ["session/load", { sessionId: "s", ...workspace }],
  ["session/resume", { sessionId: "s", cwd: tmpdir() }],
  ["session/fork", { sessionId: "s", cwd: tmpdir() }],
  ["session/list", { cwd: tmpdir(), cursor: "x" }],
  ["session/delete", { sessionId: "s" }],
  ["session/close", { sessionId: "s" }],
  ["session/prompt", { sessionId: "s", prompt: [] }],
  ["session/set_mode", { sessionId: "s", modeId: "a" }],
  ["session/set_config_option", { sessionId: "s", configId: "a", value: "b" }],
];
const wrongValues: unknown[] = [17, true, {}, [[]], [17], "\0"];

describe("a value of the wrong type in any field", () => {
  it.each(methods)(
    "of %s is accepted or answered with the fault, and the connection stays open",
    async (method, params) => {
      const { client } = await serve(everything, { version: "unstable" });
      for (const key of Object.keys(params)) {
        for (const value of wrongValues) {
          const call = client.peer.call(method, { ...params, [key]: value });
          const error = await call.then(
            () => undefined,
            (failed: unknown) => failed,
          );
          if (error === undefined) continue;
          expect(error).toMatchObject({ name: "RemoteError" });
          const { rpcCode: code, data } = error as RemoteError;
          expect([-32602, -32002], JSON.stringify([key, value])).toContain(code);
          if (code !== -32602) continue;
          const errors = isJson(data) && Array.isArray(data["errors"]) ? data["errors"] : [];
          expect(errors[0]).toMatchObject({ path: expect.stringContaining(key) as string });
        }
      }
      for (const value of [17, "x", [], null]) {
        await client.peer.call(method, value).catch(() => {});
      }
      expect(await client.newSession()).not.toBe("");
    },
  );
});

describe("messages that are not valid requests", () => {
  it("are answered according to JSON-RPC, and the connection stays open", async () => {
    const { client } = await serve(everything, { version: "unstable" });
    const noise = [
      "not json",
      "[]",
      "[1,2]",
      '"text"',
      "17",
      '{"jsonrpc":"2.0","id":{},"method":"x"}',
      "{}",
    ];
    for (const line of noise) await client.channel.send(line);
    // Answers to requests that the agent never sent.
    await client.channel.send('{"jsonrpc":"2.0","id":99,"result":{}}');
    await client.channel.send('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"?"}}');
    await client.peer.notify("session/cancel", { sessionId: 17 });
    await client.peer.notify("session/cancel");
    await client.peer.notify("nothing/known", {});
    await client.peer.notify("$/cancel_request", { requestId: 12345 });
    expect(await client.newSession()).not.toBe("");
  });

  it("do no harm before initialize", async () => {
    const { client } = await serve(everything, { raw: true, version: "unstable" });
    await client.cancel("s");
    expect(await errorOf(client.prompt("s", "x"))).toMatchObject({ code: -32600 });
    await client.initialize();
  });
});

describe("a client that sends invalid answers", () => {
  it("fails the turn, and the next turn runs", async () => {
    const { client, sessionId } = await opened(
      async (turn) => {
        if (turn.text === "read") await turn.readFile("/x");
        if (turn.text === "run") await turn.terminal({ command: "x" });
        if (turn.text === "ask") await turn.elicit({ message: "m", schema: {} });
      },
      {
        capabilities: EVERYTHING,
        answers: {
          "fs/read_text_file": () => ({ content: 17 }),
          "terminal/create": () => null,
          "elicitation/create": () => ({ action: "sure" }),
        },
      },
    );
    for (const text of ["read", "run", "ask"]) {
      expect(await errorOf(client.prompt(sessionId, text))).toMatchObject({ code: -32603 });
    }
    expect(await client.prompt(sessionId, "x")).toBe("end_turn");
  });
});

describe("a client that disconnects", () => {
  const ends: [string, string, (turn: Turn<object>) => Promise<unknown>][] = [
    ["in the middle of a turn", "update agent_message_chunk", untilAborted],
    [
      "during a permission request",
      "session/request_permission",
      (turn) => turn.askPermission({ title: "t" }),
    ],
    [
      "while a terminal runs",
      "terminal/wait_for_exit",
      async (turn) => (await turn.terminal({ command: "x" })).waitForExit(),
    ],
    ["during a file request", "fs/read_text_file", (turn) => turn.readFile("/x")],
    [
      "while a form is open",
      "elicitation/create",
      (turn) => turn.elicit({ message: "m", schema: {} }),
    ],
  ];
  it.each(ends)("%s ends the turn, the session and the agent", async (_, moment, work) => {
    const order: string[] = [];
    const ended = deferred<unknown>();
    const never = () => new Promise<never>(() => {});
    const { client, served } = await serve(
      promptAgent(
        async (turn) => {
          await turn.say("working");
          await work(turn).then(ended.resolve, ended.resolve);
          order.push(`turn ended, aborted ${turn.signal.aborted}`);
        },
        {
          closeSession: () => void order.push("session closed"),
          close: (reason) => void order.push(`closed: ${reason.kind}`),
        },
      ),
      {
        capabilities: EVERYTHING,
        answers: {
          "session/request_permission": never,
          "terminal/create": () => ({ terminalId: "t" }),
          "terminal/wait_for_exit": never,
          "fs/read_text_file": never,
          "elicitation/create": never,
        },
      },
    );
    const prompt = client.prompt(await client.newSession(), "x");
    await client.waitFor(moment);
    await client.peer.close();
    await expect(prompt).rejects.toMatchObject({ name: "ConnectionError" });
    expect(await served).toEqual({ kind: "ended" });
    expect(order).toEqual(["turn ended, aborted true", "session closed", "closed: ended"]);
    const outcome = await ended.promise;
    if (outcome instanceof Error) expect(outcome).not.toBeInstanceOf(TurnCancelledError);
  });

  it("during a replay stops the replay", async () => {
    let made = 0;
    const { client, served } = await serve(
      promptAgent(async () => {}, {
        async *loadSession() {
          for (; ; made++) {
            yield { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } };
          }
        },
      }),
    );
    const loading = client.call("session/load", { sessionId: "s", ...workspace });
    await client.waitFor("update agent_message_chunk");
    await client.peer.close();
    await expect(loading).rejects.toMatchObject({ name: "ConnectionError" });
    expect(await served).toEqual({ kind: "ended" });
    const madeBefore = made;
    await new Promise((resolve) => setImmediate(resolve));
    expect(made).toBe(madeBefore);
  });

  it("before it sends anything ends the agent, and so does the agent's own signal", async () => {
    const first = await serve(everything, { raw: true });
    await first.client.peer.close();
    expect(await first.served).toEqual({ kind: "ended" });
    const controller = new AbortController();
    const second = await serve(everything, { signal: controller.signal, version: "unstable" });
    controller.abort();
    expect(await second.served).toEqual({ kind: "closed" });
    expect(await second.client.closed).toEqual({ kind: "ended" });
  });
});

describe("10,000 requests at once", () => {
  it("each get their own answer", async () => {
    const { client, sessionId } = await opened(everything, { version: "unstable" });
    const calls = Array.from({ length: 10_000 }, (_, i) => {
      if (i % 5 === 0) return client.newSession();
      if (i % 5 === 1) return errorOf(client.peer.call("nothing", {}));
      if (i % 5 === 2) return errorOf(client.call("session/new", { cwd: "x" }));
      if (i % 5 === 3) return client.call("session/close", { sessionId: `unknown ${i}` });
      return client.prompt(sessionId, "x").catch(() => "busy");
    });
    const answers = await Promise.all(calls);
    const ids = answers.filter((_, i) => i % 5 === 0);
    expect(new Set(ids).size).toBe(2000);
    expect(answers[1]).toMatchObject({ code: -32601 });
    expect(answers[2]).toMatchObject({ code: -32602 });
    expect(answers[3]).toEqual({});
    expect(["end_turn", "busy"]).toContain(answers[4]);
  });
});

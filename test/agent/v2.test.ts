// The toolkit on the draft of ACP v2, with the SDK's client on the other side.
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryPair, RpcError, serveAgent, type AgentSession } from "../../src/entries/agent.ts";
import { deferred } from "../../src/base/index.ts";
import { codeOf, isJson, isState } from "../support/sdk-v2-client.ts";
import { TestClient } from "./harness.ts";
import { info, promptAgent } from "./definitions.ts";
import { servedOnV2, openedOnV2 } from "./v2/served.ts";

describe("a turn on v2", () => {
  it("echoes the prompt, answers with its id, runs, and ends with an idle state", async () => {
    const { client, sessionId, from } = await openedOnV2(async (turn) =>
      turn.say(`hello ${turn.text}`),
    );
    const messageId = await client.send(sessionId, "world");
    await client.idle(from);
    expect(client.log(from)).toEqual([
      "user_message",
      "result",
      "running",
      "agent_message_chunk",
      "idle end_turn",
    ]);
    expect(client.ofKind("user_message", from)).toEqual([
      {
        sessionUpdate: "user_message",
        messageId,
        content: [{ type: "text", text: "world" }],
      },
    ]);
    expect(client.text(from)).toBe("hello world");
  });

  it.each(["max_tokens", "max_turn_requests", "refusal"] as const)(
    "ends with the stop reason %s",
    async (reason) => {
      const client = await servedOnV2(async () => reason);
      const idle = await client.prompt(await client.newSession(), "x");
      expect(idle["stopReason"]).toBe(reason);
    },
  );

  it("ends with the author's error as the reason, after the prompt was accepted", async () => {
    const client = await servedOnV2(async () => {
      throw new RpcError(-32099, "no luck", { tried: 3 });
    });
    const idle = await client.prompt(await client.newSession(), "x");
    expect(idle).toMatchObject({
      stopReason: "error",
      error: { code: -32099, message: "no luck", data: { tried: 3 } },
    });
  });

  it("holds prompts until the turns before them have ended", async () => {
    const gates = [deferred(), deferred()];
    const { client, sessionId, from } = await openedOnV2(async (turn) => {
      await gates[Number(turn.text)]?.promise;
      await turn.say(turn.text);
    });
    await client.send(sessionId, "0");
    const second = client.send(sessionId, "1");
    gates[1]?.resolve();
    gates[0]?.resolve();
    await second;
    await client.update((update) => client.text(from) === "01" && isState(update, "idle"), from);
    expect(client.log(from).filter((entry) => entry !== "agent_message_chunk")).toEqual([
      "user_message",
      "result",
      "running",
      "idle end_turn",
      "user_message",
      "result",
      "running",
      "idle end_turn",
    ]);
  });
});

/** An agent whose turns last until they are cancelled. */
const patient = promptAgent(async (turn) => {
  await turn.toolCall({ title: "Wait" });
  if (!turn.signal.aborted) await once(turn.signal, "abort");
});

describe("a cancel on v2", () => {
  it("cancels the open tool calls, then ends the turn", async () => {
    const { client, sessionId, from } = await openedOnV2(patient);
    await client.send(sessionId, "x");
    await client.update((update) => update["sessionUpdate"] === "tool_call_update", from);
    await client.cancel(sessionId);
    await client.idle(from);
    expect(client.log(from).slice(-2)).toEqual(["tool_call_update", "idle cancelled"]);
    expect(client.ofKind("tool_call_update", from).at(-1)).toMatchObject({ status: "cancelled" });
  });

  it("withdraws the prompts that are held, and no later ones", async () => {
    const { client, sessionId, from } = await openedOnV2(patient);
    await client.send(sessionId, "runs");
    const held = codeOf(client.send(sessionId, "held"));
    await client.cancel(sessionId);
    const later = client.send(sessionId, "later");
    expect(await held).toBe(-32800);
    expect((await client.idle(from))["stopReason"]).toBe("cancelled");
    await later;
    await client.cancel(sessionId);
    const second = client.frames.length;
    await client.update((update) => isState(update, "idle"), second);
  });

  it("withdraws the question that the turn waits for", async () => {
    const withdrawn = deferred();
    const { client, sessionId, from } = await openedOnV2(
      async (turn) => {
        const answer = await turn.askPermission({ title: "May I?" });
        expect(answer.outcome).toBe("cancelled");
      },
      {
        permission: async (_, signal) => {
          await once(signal, "abort");
          withdrawn.resolve();
          return { outcome: { outcome: "cancelled" } };
        },
      },
    );
    await client.send(sessionId, "x");
    await client.update((update) => isState(update, "requires_action"), from);
    await client.cancel(sessionId);
    await withdrawn.promise;
    expect((await client.idle(from))["stopReason"]).toBe("cancelled");
  });

  it("that finds nothing to cancel is ignored", async () => {
    const { client, sessionId } = await openedOnV2(async () => {});
    await client.cancel(sessionId);
    expect((await client.prompt(sessionId, "x"))["stopReason"]).toBe("end_turn");
  });
});

describe("a question on v2", () => {
  it("blocks the turn while the user decides", async () => {
    const { client, sessionId, from } = await openedOnV2(async (turn) => {
      const { allowed, toolCall } = await turn.askPermission({ title: "Write", kind: "edit" });
      await (allowed ? toolCall.complete() : toolCall.fail());
    });
    await client.prompt(sessionId, "x");
    expect(client.log(from)).toEqual([
      "user_message",
      "result",
      "running",
      "tool_call_update",
      "requires_action",
      "session/request_permission",
      "running",
      "tool_call_update",
      "idle end_turn",
    ]);
  });

  it("does not block the turn while another tool call is in progress", async () => {
    const client = await servedOnV2(async (turn) => {
      const busy = await turn.toolCall({ title: "Compile" });
      await turn.askPermission({ title: "Write" });
      await busy.complete();
    });
    const from = client.frames.length;
    await client.prompt(await client.newSession(), "x");
    expect(client.log(from)).not.toContain("requires_action");
  });

  it("does not block the turn anymore once the agent goes on with its answer", async () => {
    const asked = deferred();
    const client = await servedOnV2(
      async (turn) => {
        const answer = turn.askPermission({ title: "Write" });
        await asked.promise;
        await turn.say("Meanwhile: ");
        await answer;
      },
      {
        permission: async () => {
          asked.resolve();
          await client.update(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
          return { outcome: { outcome: "cancelled" } };
        },
      },
    );
    const from = client.frames.length;
    await client.prompt(await client.newSession(), "x");
    const states = client.log(from).filter((entry) => /^(?:running|requires|idle)/.test(entry));
    expect(states).toEqual(["running", "requires_action", "running", "idle end_turn"]);
  });

  it("may be a form", async () => {
    const client = await servedOnV2(
      async (turn) => {
        const answer = await turn.elicit({
          message: "Who?",
          schema: { properties: { name: { type: "string" } } },
        });
        await turn.say(JSON.stringify(answer.action === "accept" && answer.content));
      },
      {
        capabilities: { elicitation: { form: {} } },
        elicitation: () => ({ action: "accept", content: { name: "Ada" } }),
      },
    );
    await client.prompt(await client.newSession(), "x");
    expect(client.text()).toBe('{"name":"Ada"}');
  });
});

describe("closing a session on v2", () => {
  it("ends the running turn and refuses the held prompts before it is answered", async () => {
    const { client, sessionId, from } = await openedOnV2(patient);
    await client.send(sessionId, "runs");
    const held = codeOf(client.send(sessionId, "held"));
    await client.call("session/close", { sessionId });
    expect(await held).toBe(-32800);
    const log = client.log(from);
    expect(log.at(-1)).toBe("result");
    expect(log).toContain("error -32800");
    expect(log).toContain("idle cancelled");
    expect(await codeOf(client.send(sessionId, "x"))).toBe(-32002);
  });

  it("ends background work, and nothing more is sent about the session", async () => {
    let session: AgentSession<object> | undefined;
    const { client, sessionId } = await openedOnV2(async (turn) => {
      session = turn.session;
      await turn.toolCall({ title: "Watch", background: true });
    });
    await client.prompt(sessionId, "x");
    const from = client.frames.length;
    await client.call("session/close", { sessionId });
    await expect(session?.title("late")).rejects.toThrow("is closed");
    expect(client.log(from)).toEqual(["tool_call_update", "idle", "result"]);
    expect(client.updates(from)).toMatchObject([
      { status: "cancelled" },
      { state: "idle", background: [] },
    ]);
  });
});

/** The client's end of a connection to an agent. */
function servedChannel() {
  const [ours, theirs] = memoryPair();
  void serveAgent(
    theirs,
    promptAgent(async () => {}),
  );
  onTestFinished(() => void ours.close());
  return ours;
}

function uninitialized(version: "v2" | "stable"): TestClient {
  return new TestClient(servedChannel(), { raw: true, version });
}

describe("the start of a connection on v2", () => {
  it.each([
    ["version 0", 0, false, 1],
    ["version 1", 1, true, 1],
    ["version 2 without info", 2, false, 1],
    ["version 99 without info", 99, false, 1],
    ["version 2 with info", 2, true, 2],
    ["version 99 with info", 99, true, 2],
  ])("answers %s", async (_, protocolVersion, hasInfo, answered) => {
    const client = uninitialized(answered === 2 ? "v2" : "stable");
    const more = hasInfo ? { info } : {};
    const result = await client.call("initialize", { protocolVersion, ...more });
    expect(result).toMatchObject({ protocolVersion: answered });
    expect("info" in result).toBe(answered === 2);
  });

  it("may repeat initialize until it sends another request", async () => {
    const client = uninitialized("v2");
    const params = { protocolVersion: 2, info: { name: "again", version: "1" } };
    expect(await codeOf(client.call("initialize", { ...params, info: {} }))).toBe(-32602);
    await client.call("initialize", params);
    expect(await client.call("initialize", params)).toMatchObject({ protocolVersion: 2 });
    expect(await codeOf(client.call("initialize", { protocolVersion: 1 }))).toBe(-32600);
    await client.newSession();
    expect(await codeOf(client.call("initialize", params))).toBe(-32600);
  });

  it("counts the last initialize", async () => {
    const client = await servedOnV2(async (turn) => turn.say(turn.client.info?.name ?? ""));
    await client.call("initialize", { protocolVersion: 2, info: { name: "again", version: "1" } });
    await client.prompt(await client.newSession(), "x");
    expect(client.text()).toBe("again");
  });

  it("needs initialize first, string or number ids, and no arrays", async () => {
    const ours = servedChannel();
    const lines: string[] = [];
    const two = deferred();
    ours.open((line) => {
      lines.push(line);
      if (lines.length === 5) two.resolve();
    });
    const params = { protocolVersion: 2, info };
    const send = (frame: unknown): void => void ours.send(JSON.stringify(frame));
    send({ jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd: process.cwd() } });
    send({ jsonrpc: "2.0", id: null, method: "initialize", params });
    send({ jsonrpc: "2.0", id: 2, method: "initialize", params });
    send([{ jsonrpc: "2.0", id: 3, method: "session/new", params: {} }]);
    send({ jsonrpc: "2.0", id: null, method: "session/new", params: {} });
    await two.promise;
    const answers = lines.map((line): unknown => JSON.parse(line));
    expect(answers).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: 2, result: { protocolVersion: 2 } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  it.each(["session/load", "session/set_mode", "authenticate", "logout", "session/unknown"])(
    "refuses %s, which v2 does not have",
    async (method) => {
      const { client, sessionId } = await openedOnV2(
        promptAgent(async () => {}, {
          loadSession: () => ({}),
          modes: () => ({ currentModeId: "a", availableModes: [{ id: "a", name: "A" }] }),
          setMode: () => {},
        }),
      );
      const params = { sessionId, cwd: process.cwd(), mcpServers: [], modeId: "a", methodId: "a" };
      expect(await codeOf(client.call(method, params))).toBe(-32601);
    },
  );
});

describe("the sessions of an agent on v2", () => {
  const kept = new Map<string, object>();
  const agent = promptAgent(async (turn) => turn.say("hi"), {
    newSession: () => ({ id: "kept" }),
    sessionId: () => "kept",
    async *loadSession({ sessionId }) {
      if (sessionId !== "kept") return undefined;
      yield {
        sessionUpdate: "user_message_chunk",
        messageId: "m",
        content: { type: "text", text: "q" },
      } as const;
      yield { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "a" } } as const;
      return kept;
    },
    resumeSession: ({ sessionId }) => (sessionId === "kept" ? kept : undefined),
    listSessions: () => ({ sessions: [{ sessionId: "kept", cwd: process.cwd() }] }),
    closeSession: () => {},
    deleteSession: () => {},
  });

  it("are resumed with their history, then their state, then the answer", async () => {
    const client = await servedOnV2(agent);
    const from = client.frames.length;
    const params = { sessionId: "kept", cwd: process.cwd() };
    await client.call("session/resume", { ...params, replayFrom: { type: "start" } });
    expect(client.log(from)).toEqual([
      "user_message",
      "user_message_chunk",
      "agent_message",
      "agent_message_chunk",
      "idle",
      "result",
    ]);
    const second = client.frames.length;
    await client.call("session/resume", params);
    expect(client.log(second)).toEqual(["idle", "result"]);
  });

  it("are not resumed from an unknown position, or under an unknown id", async () => {
    const client = await servedOnV2(agent);
    const cwd = process.cwd();
    const odd = { sessionId: "kept", cwd, replayFrom: { type: "_middle" } };
    expect(await codeOf(client.call("session/resume", odd))).toBe(-32602);
    const unknown = { sessionId: "gone", cwd };
    expect(await codeOf(client.call("session/resume", unknown))).toBe(-32002);
  });

  it("are listed, deleted and closed", async () => {
    const client = await servedOnV2(agent);
    expect(await client.call("session/list")).toMatchObject({ sessions: [{ sessionId: "kept" }] });
    await client.newSession();
    expect(await client.call("session/close", { sessionId: "kept" })).toEqual({});
    expect(await client.call("session/close", { sessionId: "kept" })).toEqual({});
    expect(await client.call("session/delete", { sessionId: "kept" })).toEqual({});
  });

  it("have modes and options as config options", async () => {
    let mode = "ask";
    let quiet = false;
    const client = await servedOnV2(
      promptAgent(async (turn) => turn.mode("auto"), {
        modes: () => ({
          currentModeId: mode,
          availableModes: [
            { id: "ask", name: "Ask" },
            { id: "auto", name: "Auto" },
          ],
        }),
        setMode: (_, id) => {
          mode = id;
        },
        configOptions: () => [{ type: "boolean", id: "quiet", name: "Quiet", currentValue: quiet }],
        setConfigOption: (_, __, value) => {
          quiet = value === true;
        },
      }),
    );
    const opened = await client.call("session/new", { cwd: process.cwd() });
    expect(opened["configOptions"]).toMatchObject([
      { configId: "mode", category: "mode", currentValue: "ask" },
      { configId: "quiet", currentValue: false },
    ]);
    const sessionId = String(opened["sessionId"]);
    const set = (configId: string, type: string, value: unknown) =>
      client.call("session/set_config_option", { sessionId, configId, type, value });
    expect(await set("mode", "id", "auto")).toMatchObject({
      configOptions: [{ currentValue: "auto" }, {}],
    });
    await set("quiet", "boolean", true);
    expect([mode, quiet]).toEqual(["auto", true]);
    expect(await codeOf(set("mode", "id", "none"))).toBe(-32602);
    await client.prompt(sessionId, "x");
    expect(client.ofKind("config_option_update")).toHaveLength(1);
  });

  it("need a sign-in if the agent says so", async () => {
    let signedIn = false;
    const client = await servedOnV2(
      promptAgent(async () => {}, {
        authMethods: [{ id: "key", name: "Key" }],
        authenticate: () => {
          signedIn = true;
        },
        logout: () => {
          signedIn = false;
        },
        isAuthenticated: () => signedIn,
      }),
    );
    expect(await codeOf(client.newSession())).toBe(-32000);
    expect(await codeOf(client.call("auth/login", { methodId: "other" }))).toBe(-32602);
    expect(await client.call("auth/login", { methodId: "key" })).toEqual({});
    await client.newSession();
    expect(await client.call("auth/logout")).toEqual({});
    expect(await codeOf(client.newSession())).toBe(-32000);
  });
});

it("files of the client are not available on v2", async () => {
  const client = await servedOnV2(async (turn) => {
    expect(turn.client.can("fs.readTextFile")).toBe(false);
    await expect(turn.readFile("/a")).rejects.toMatchObject({ code: "unsupported" });
    await expect(turn.writeFile("/a", "")).rejects.toMatchObject({
      capability: "fs.writeTextFile",
    });
  });
  const idle = await client.prompt(await client.newSession(), "x");
  expect(idle["stopReason"]).toBe("end_turn");
  expect(isJson(idle)).toBe(true);
});

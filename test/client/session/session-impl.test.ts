import { describe, expect, it } from "vitest";
import { RpcError } from "../../../src/transport/rpc/index.ts";
import { chunk, connect, cwd, endTurn, FakeAgent, newSession, openSession } from "../fake-agent.ts";
import { capable, configOptions, modes, nextEvents } from "../session-fixtures.ts";

describe("the state of a session", () => {
  it("follows the agent's updates", async () => {
    const agent = new FakeAgent({
      ...capable,
      "session/new": newSession({ modes, configOptions }),
      "session/prompt": () => {
        const send = (update: object) => void agent.update("s1", { ...update });
        send({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "in_progress" });
        send({ sessionUpdate: "tool_call", toolCallId: "t", title: "Read", kind: "read" });
        send({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" });
        send({
          sessionUpdate: "plan",
          entries: [{ content: "do", priority: "high", status: "pending" }],
        });
        send({ sessionUpdate: "current_mode_update", currentModeId: "code" });
        send({ sessionUpdate: "usage_update", used: 5, size: 10 });
        send({ sessionUpdate: "session_info_update", title: "Work" });
        send({ sessionUpdate: "config_option_update", configOptions: [] });
        send({ sessionUpdate: "brand_new", field: 1 });
        return endTurn;
      },
    });
    const { session } = await openSession(agent);
    const types: string[] = [];
    for await (const update of session.prompt("go")) types.push(update.type);
    expect(types.at(-1)).toBe("unknown");
    expect([...session.toolCalls.values()]).toMatchObject([
      { toolCallId: "t", title: "Read", kind: "read", status: "completed" },
    ]);
    expect(session.plan).toEqual([{ content: "do", priority: "high", status: "pending" }]);
    expect(session.modes?.currentModeId).toBe("code");
    expect(session.contextUsage).toMatchObject({ used: 5, size: 10 });
    expect(session.title).toBe("Work");
    expect(session.configOptions).toEqual([]);
  });

  it("has the new mode after setMode", async () => {
    const agent = new FakeAgent({
      "session/new": newSession({ modes }),
      "session/set_mode": () => ({}),
    });
    const { session } = await openSession(agent);
    await session.setMode("code");
    expect(agent.paramsOf("session/set_mode")).toEqual([{ sessionId: "s1", modeId: "code" }]);
    expect(session.modes?.currentModeId).toBe("code");
    await expect(session.setMode("fly")).rejects.toThrow(/"fly".*ask, code/);
  });

  it("has the options from the agent's answer after setConfigOption", async () => {
    const answer = [configOptions[0], { ...configOptions[1], currentValue: true }];
    const agent = new FakeAgent({
      "session/new": newSession({ configOptions }),
      "session/set_config_option": () => ({ configOptions: answer }),
    });
    const { session } = await openSession(agent);
    await session.setConfigOption("web", true);
    await session.setConfigOption("model", "large");
    expect(agent.paramsOf("session/set_config_option")).toEqual([
      { sessionId: "s1", configId: "web", type: "boolean", value: true },
      { sessionId: "s1", configId: "model", value: "large" },
    ]);
    expect(session.configOptions).toEqual(answer);
    await expect(session.setConfigOption("web", "on")).rejects.toThrow("boolean");
    await expect(session.setConfigOption("model", "huge")).rejects.toThrow(/"huge".*small, large/);
    await expect(session.setConfigOption("speed", "on")).rejects.toThrow(/"speed".*model, web/);
  });

  it("cannot change modes and options that the agent does not have", async () => {
    const { session } = await openSession(new FakeAgent());
    expect(session.modes).toBeUndefined();
    await expect(session.setMode("x")).rejects.toMatchObject({ capability: "modes" });
    await expect(session.setConfigOption("x", "y")).rejects.toMatchObject({
      capability: "configOptions",
    });
  });
});

describe("the update stream of a session", () => {
  it("yields all events in order, inside and outside turns", async () => {
    const agent = new FakeAgent({
      "session/prompt": () => {
        void agent.say("s1", "inside");
        setImmediate(() => void agent.say("s1", "after"));
        return endTurn;
      },
    });
    const { session } = await openSession(agent);
    await agent.say("s1", "before");
    await agent.delivered();
    const turn = session.prompt("go");
    expect(await nextEvents(session, 5)).toEqual([
      "before",
      "turn_started",
      "inside",
      "turn_ended end_turn",
      "after",
    ]);
    expect(await turn.text()).toBe("inside");
  });

  it("reports a turn that failed", async () => {
    const agent = new FakeAgent({
      "session/prompt": () => {
        throw new RpcError(500, "model down");
      },
    });
    const { session } = await openSession(agent);
    const turn = session.prompt("go");
    await expect(turn.result).rejects.toMatchObject({ rpcCode: 500, message: "model down" });
    await expect(turn.text()).rejects.toThrow("model down");
    expect(await nextEvents(session, 2)).toEqual(["turn_started", "turn_ended RemoteError"]);
  });

  it("can have several readers, and a later one starts with the next event", async () => {
    const agent = new FakeAgent();
    const { session } = await openSession(agent);
    await agent.say("s1", "one");
    const first = session.updates();
    expect(await first.next()).toMatchObject({ value: { text: "one" } });
    const second = session.updates();
    await agent.say("s1", "two");
    expect(await first.next()).toMatchObject({ value: { text: "two" } });
    expect(await second.next()).toMatchObject({ value: { text: "two" } });
    await session.close();
    expect(await first.next()).toEqual({ done: true, value: undefined });
    expect(await second.next()).toEqual({ done: true, value: undefined });
  });
});

describe("closing a session", () => {
  it("closes it in the agent if supported, and fails all later calls", async () => {
    const agent = new FakeAgent({ ...capable, "session/close": () => ({}) });
    const { client, session } = await openSession(agent);
    await session.close();
    await session.close();
    expect(agent.paramsOf("session/close")).toEqual([{ sessionId: "s1" }]);
    expect(session.state).toBe("closed");
    expect(client.sessions).toEqual([]);
    await expect(session.prompt("x").text()).rejects.toThrow('the session "s1" is closed');
    expect(() => session.updates()).toThrow("closed");
    await expect(session.setMode("x")).rejects.toMatchObject({ code: "closed" });
    expect(() => client.session("s1")).toThrow("no open session");
    await session.cancel();
  });

  it("succeeds if the agent does not know it anymore or does not support closing", async () => {
    const agent = new FakeAgent({
      ...capable,
      "session/close": () => {
        throw new RpcError(-32002, "unknown");
      },
    });
    const client = await connect(agent);
    await (await client.newSession({ cwd })).close();
    await client.close();

    const plainAgent = new FakeAgent();
    const other = await connect(plainAgent);
    await (await other.newSession({ cwd })).close();
    expect(plainAgent.paramsOf("session/close")).toEqual([]);
    await other.close();
  });

  it("cancels the turn first", async () => {
    const agent = new FakeAgent({
      ...capable,
      "session/close": () => ({}),
      "session/prompt": async () => {
        await agent.next("session/cancel");
        return { stopReason: "cancelled" };
      },
    });
    const { session } = await openSession(agent);
    const turn = session.prompt("go");
    await agent.next("session/prompt");
    await session.close();
    expect(await turn.result).toMatchObject({ stopReason: "cancelled" });
    expect(agent.received.map(({ method }) => method).slice(-3)).toEqual([
      "session/prompt",
      "session/cancel",
      "session/close",
    ]);
  });

  it("ignores updates that still arrive for it", async () => {
    const agent = new FakeAgent();
    const logged: string[] = [];
    const { session } = await openSession(agent, {
      logger: { debug: (text) => logged.push(text) },
    });
    await session.close();
    await agent.update("s1", chunk("late"));
    await agent.peer.notify("custom/unknown", {});
    await agent.delivered();
    expect(logged).toEqual([
      "ignored an update for an unknown session",
      "received an unknown notification",
    ]);
  });
});

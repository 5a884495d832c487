import { describe, expect, it } from "vitest";
import { AcpClient, CallCancelledError, StartError } from "../../src/entries/dragoman.ts";
import { connect, cwd, deferred, FakeAgent, openSession } from "./fake-agent.ts";

describe("the state of a client", () => {
  it("is open, then closing, then closed", async () => {
    const client = await connect(new FakeAgent());
    expect(client.state).toBe("open");
    const closing = client.close();
    expect(client.state).toBe("closing");
    await closing;
    expect(client.state).toBe("closed");
    expect(await client.closed).toEqual({ kind: "closed" });
  });

  it("is not open anymore when a turn fails because the agent is gone", async () => {
    const agent = new FakeAgent({ "session/prompt": () => new Promise(() => {}) });
    const { client, session } = await openSession(agent);
    const states: unknown[] = [];
    const failed = session.prompt("go").result.catch(() => {
      states.push(client.state, session.state);
    });
    await agent.peer.close();
    await failed;
    expect(states).not.toContain("open");
    await client.closed;
    expect([client.state, session.state]).toEqual(["closed", "closed"]);
  });

  it("lets a supervisor replace a dead client as soon as a turn fails", async () => {
    const agents = [0, 1].map((n) => {
      const agent: FakeAgent = new FakeAgent({
        "session/prompt": () => (n === 0 ? agent.peer.close() : { stopReason: "end_turn" }),
      });
      return agent;
    });
    let started = 0;
    let current = await connect(agents[started++] ?? new FakeAgent());
    const usable = async (): Promise<AcpClient> => {
      if (current.state !== "open") current = await connect(agents[started++] ?? new FakeAgent());
      return current;
    };
    const ask = async () =>
      (await (await usable()).newSession({ cwd })).prompt("go").result.then(
        ({ stopReason }) => stopReason,
        () => "failed",
      );
    expect([await ask(), await ask()]).toEqual(["failed", "end_turn"]);
    await current.close();
  });
});

describe("the state of a session", () => {
  it("is closing while the agent is asked to close it", async () => {
    const answer = deferred<object>();
    const agent = new FakeAgent({
      initialize: () => ({
        protocolVersion: 1,
        agentCapabilities: { sessionCapabilities: { close: {} } },
      }),
      "session/close": () => answer.promise,
    });
    const { session } = await openSession(agent);
    expect(session.state).toBe("open");
    const closing = session.close();
    await agent.next("session/close");
    expect(session.state).toBe("closing");
    answer.resolve({});
    await closing;
    expect(session.state).toBe("closed");
    expect(await session.closed).toMatchObject({ code: "session_closed" });
  });

  it("says in `closed` that the connection is gone", async () => {
    const agent = new FakeAgent();
    const { session } = await openSession(agent);
    await agent.peer.close();
    expect(await session.closed).toMatchObject({ name: "ConnectionError" });
    expect(session.state).toBe("closed");
  });
});

describe("closing a session", () => {
  it("succeeds if the client is closed meanwhile", async () => {
    const agent = new FakeAgent({
      initialize: () => ({
        protocolVersion: 1,
        agentCapabilities: { sessionCapabilities: { close: {} } },
      }),
      "session/close": () => new Promise(() => {}),
    });
    const { client, session } = await openSession(agent);
    const closing = session.close();
    await agent.next("session/close");
    await client.close();
    await closing;
    expect(session.state).toBe("closed");
  });
});

describe("an aborted signal", () => {
  const capable = {
    initialize: () => ({
      protocolVersion: 1,
      agentCapabilities: { sessionCapabilities: { close: {} } },
    }),
    "session/new": () => ({
      sessionId: "s1",
      modes: { currentModeId: "a", availableModes: [{ id: "a", name: "A" }] },
      configOptions: [{ id: "o", name: "O", type: "boolean", currentValue: false }],
    }),
  };
  const never = () => new Promise(() => {});

  it("ends a start that waits for the agent, and leaves nothing open", async () => {
    const agent = new FakeAgent({ initialize: never });
    const controller = new AbortController();
    const starting = AcpClient.start({ channel: agent.channel }, { signal: controller.signal });
    await agent.next("initialize");
    controller.abort(new Error("changed my mind"));
    const error = await starting.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect(error).toMatchObject({ cause: { name: "CallCancelledError" } });
    expect(await agent.peer.closed).toMatchObject({ kind: "ended" });
  });

  it("ends a start before anything is sent", async () => {
    const agent = new FakeAgent();
    const starting = AcpClient.start({ channel: agent.channel }, { signal: AbortSignal.abort() });
    await expect(starting).rejects.toMatchObject({ code: "start_failed" });
    expect(agent.received).toEqual([]);
  });

  it.each([
    ["session/set_mode", "setMode"],
    ["session/set_config_option", "setConfigOption"],
  ] as const)("cancels %s", async (method, name) => {
    const agent = new FakeAgent({ ...capable, [method]: never });
    const { session } = await openSession(agent);
    const controller = new AbortController();
    const { signal } = controller;
    const calling =
      name === "setMode"
        ? session.setMode("a", { signal })
        : session.setConfigOption("o", true, { signal });
    await agent.next(method);
    controller.abort();
    await expect(calling).rejects.toBeInstanceOf(CallCancelledError);
    await agent.delivered();
    expect(agent.lines.at(-2)).toContain("$/cancel_request");
  });

  it("stops waiting for a cancel that the agent has not followed yet", async () => {
    const agent = new FakeAgent({ ...capable, "session/prompt": never });
    const { session } = await openSession(agent);
    const turn = session.prompt("go");
    await session.cancel({ signal: AbortSignal.abort() });
    await turn.cancel({ signal: AbortSignal.abort() });
    expect(session.turnState).toBe("cancelling");
  });

  it("closes a session on this side if the agent does not answer", async () => {
    const agent = new FakeAgent({ ...capable, "session/close": never });
    const { session } = await openSession(agent);
    const controller = new AbortController();
    const closing = session.close({ signal: controller.signal });
    await agent.next("session/close");
    controller.abort();
    await expect(closing).rejects.toBeInstanceOf(CallCancelledError);
    expect(session.state).toBe("closed");
  });

  it("stops waiting for the end of the agent, which ends all the same", async () => {
    const client = await connect(new FakeAgent());
    const closing = client.close({ signal: AbortSignal.abort() });
    await expect(closing).rejects.toBeInstanceOf(CallCancelledError);
    expect(await client.closed).toEqual({ kind: "closed" });
  });
});

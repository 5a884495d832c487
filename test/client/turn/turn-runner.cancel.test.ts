import { describe, expect, it } from "vitest";
import { CancelIgnoredError, TimeoutError } from "../../src/entries/dragoman.ts";
import { RpcError } from "../../src/rpc/index.ts";
import { cancelled, connect, deferred, endTurn, FakeAgent } from "./fake-agent.ts";

const cwd = "/project";
const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

/** An agent whose turns end with `cancelled` once they are cancelled. */
function obedient(): FakeAgent {
  const agent: FakeAgent = new FakeAgent({
    "session/prompt": async ({ sessionId }) => {
      const asked = agent.next("session/cancel");
      await agent.say(String(sessionId), "working");
      await asked;
      return cancelled;
    },
  });
  return agent;
}

describe("cancelling a turn", () => {
  it("sends one cancel, however often it is asked for", async () => {
    const agent = obedient();
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    await agent.delivered();
    expect(session.turnState).toBe("streaming");
    const ends = [turn.cancel(), session.cancel(), turn.cancel()];
    expect(session.turnState).toBe("cancelling");
    await Promise.all(ends);
    expect(await turn.result).toMatchObject(cancelled);
    expect(agent.of("session/cancel")).toEqual([{ sessionId: "s1" }]);
    expect(session.turnState).toBe("idle");
    await session.cancel();
    expect(agent.of("session/cancel")).toHaveLength(1);
    await client.close();
  });

  it("happens when the loop is left", async () => {
    const agent = obedient();
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    for await (const { text } of turn) {
      expect(text).toBe("working");
      break;
    }
    expect(await turn.result).toMatchObject(cancelled);
    await client.close();
  });

  it("happens when a signal is aborted, before the prompt or during the turn", async () => {
    const agent = obedient();
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const before = session.prompt("go", { signal: AbortSignal.abort() });
    expect(await before.result).toMatchObject(cancelled);
    expect(agent.of("session/prompt")).toEqual([]);
    const controller = new AbortController();
    const during = session.prompt("go", { signal: controller.signal });
    await agent.delivered();
    controller.abort();
    expect(await during.result).toMatchObject(cancelled);
    await client.close();
  });

  it("answers open questions, marks tool calls, and still takes late updates", async () => {
    const answers = deferred<unknown>();
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        const asked = agent.next("session/cancel");
        const call = { toolCallId: "t", title: "rm", kind: "execute", status: "in_progress" };
        await agent.update("s1", { sessionUpdate: "tool_call", ...call });
        const ask = () =>
          agent.peer.call("session/request_permission", {
            sessionId: "s1",
            toolCall: call,
            options,
          });
        const questions = [ask(), ask()];
        await asked;
        answers.resolve(await Promise.all([...questions, ask()]));
        const late = { toolCallId: "t", status: "failed", title: "late" };
        await agent.update("s1", { sessionUpdate: "tool_call_update", ...late });
        return cancelled;
      },
    });
    const asked = deferred();
    const client = await connect(agent, {
      permissions: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    await asked.promise;
    expect(session.turnState).toBe("waiting_permission");
    const ended = turn.cancel();
    expect(session.turnState).toBe("cancelling");
    expect(session.toolCalls.get("t")?.status).toBe("cancelled");
    const outcome = { outcome: { outcome: "cancelled" } };
    expect(await answers.promise).toEqual([outcome, outcome, outcome]);
    await ended;
    expect(session.toolCalls.get("t")).toMatchObject({ status: "failed", title: "late" });
    expect(await turn.result).toMatchObject(cancelled);
    await client.close();
  });

  it("takes an error for the cancelled end it stands for", async () => {
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        await agent.next("session/cancel");
        throw new RpcError(-32603, "aborted");
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    await agent.next("session/prompt");
    await turn.cancel();
    expect(await turn.result).toMatchObject(cancelled);
    await client.close();
  });

  it("lets the agent say that it had finished already", async () => {
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        await agent.next("session/cancel");
        return endTurn;
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    await agent.next("session/prompt");
    await turn.cancel();
    expect(await turn.result).toMatchObject(endTurn);
    await client.close();
  });

  it("also ends the prompts that wait", async () => {
    const agent = obedient();
    const client = await connect(agent, { whenBusy: "wait" });
    const session = await client.newSession({ cwd });
    const turns = [session.prompt("one"), session.prompt("two")];
    await agent.delivered();
    await session.cancel();
    expect(await Promise.all(turns.map(({ result }) => result))).toMatchObject([
      cancelled,
      cancelled,
    ]);
    expect(agent.of("session/prompt")).toHaveLength(1);
    await client.close();
  });

  it("answers questions asked outside a turn", async () => {
    const agent = new FakeAgent();
    const asked = deferred();
    const client = await connect(agent, {
      permissions: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const session = await client.newSession({ cwd });
    const question = agent.peer.call("session/request_permission", {
      sessionId: "s1",
      toolCall: { toolCallId: "t", kind: "edit" },
      options,
    });
    await asked.promise;
    expect(session.turnState).toBe("idle");
    await session.cancel();
    expect(await question).toEqual({ outcome: { outcome: "cancelled" } });
    await client.close();
  });
});

describe("an agent that ignores a cancel", () => {
  const stuck = (): FakeAgent => {
    const agent: FakeAgent = new FakeAgent({ "session/prompt": () => new Promise(() => {}) });
    return agent;
  };

  it("fails the turn after the grace period, and is ended with it", async () => {
    const agent = stuck();
    const client = await connect(agent, { timeouts: { cancelGrace: 20 } });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    await turn.cancel();
    await expect(turn.result).rejects.toBeInstanceOf(CancelIgnoredError);
    expect(await client.closed).toEqual({ kind: "closed" });
    expect(session.closed).toBe(true);
  });

  it("goes on for the sake of other sessions, but not for this one", async () => {
    const agent = stuck();
    const client = await connect(agent, { timeouts: { cancelGrace: 20 } });
    const session = await client.newSession({ cwd });
    const other = await client.newSession({ cwd });
    const otherTurn = other.prompt("go");
    const turn = session.prompt("go");
    const waiting = session.prompt("next", { whenBusy: "wait" });
    const loop = turn.text();
    await turn.cancel();
    await expect(loop).rejects.toBeInstanceOf(CancelIgnoredError);
    await expect(turn.result).rejects.toBeInstanceOf(CancelIgnoredError);
    await expect(waiting.result).rejects.toBeInstanceOf(CancelIgnoredError);
    expect(session.closed).toBe(true);
    expect(() => session.prompt("more")).toThrow("closed");
    // What the agent still sends belongs to nothing any more.
    await agent.say("s1", "late");
    await agent.say("s2", "alive");
    await agent.delivered();
    expect(other).toMatchObject({ closed: false, turnState: "streaming" });
    await client.close();
    await expect(otherTurn.result).rejects.toMatchObject({ reason: { kind: "closed" } });
  });
});

describe("limits of turns", () => {
  it("cancel first, and fail the turn with what ran out", async () => {
    const agent = obedient();
    const client = await connect(agent, { timeouts: { turn: 30 } });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    await expect(turn.text()).rejects.toMatchObject({ limit: "turn", ms: 30 });
    await expect(turn.result).rejects.toBeInstanceOf(TimeoutError);
    expect(agent.of("session/cancel")).toHaveLength(1);
    await client.close();
  });

  it("count silence only", async () => {
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        const asked = agent.next("session/cancel");
        for (let n = 0; n < 8; n++) {
          await agent.say("s1", `${n}`);
          await new Promise((go) => setTimeout(go, 100));
        }
        await asked;
        return cancelled;
      },
    });
    const client = await connect(agent, { timeouts: { turnIdle: 600 } });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    const seen: string[] = [];
    const loop = (async () => {
      for await (const { text } of turn) seen.push(text);
    })();
    await expect(loop).rejects.toMatchObject({ limit: "turnIdle" });
    expect(seen).toHaveLength(8);
    await client.close();
  });

  it("stand still while a person is asked", async () => {
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        await agent.peer.call("session/request_permission", {
          sessionId: "s1",
          toolCall: { toolCallId: "t", kind: "edit" },
          options,
        });
        return endTurn;
      },
    });
    const client = await connect(agent, {
      timeouts: { turn: 500, turnIdle: 500, request: 500 },
      permissions: async () => {
        await new Promise((go) => setTimeout(go, 1000));
        return "cancel" as const;
      },
    });
    const session = await client.newSession({ cwd });
    expect(await session.prompt("go").result).toMatchObject(endTurn);
    await client.close();
  });

  it("tell what ran out when the cancel is ignored as well", async () => {
    const agent = new FakeAgent({ "session/prompt": () => new Promise(() => {}) });
    const client = await connect(agent, { timeouts: { turn: 10, cancelGrace: 10 } });
    const session = await client.newSession({ cwd });
    await expect(session.prompt("go").result).rejects.toMatchObject({
      name: "CancelIgnoredError",
      cause: { name: "TimeoutError", limit: "turn" },
    });
    await client.closed;
  });
});

describe("the limit of calls", () => {
  it("cancels the call and names it", async () => {
    const gone = deferred();
    const agent = new FakeAgent({
      "session/new": (_, { signal }) => {
        signal.addEventListener("abort", () => gone.resolve());
        return new Promise(() => {});
      },
    });
    const client = await connect(agent, { timeouts: { request: 20 } });
    await expect(client.newSession({ cwd })).rejects.toMatchObject({
      name: "TimeoutError",
      limit: "request",
      message: "session/new: the agent did not answer within 20 ms",
    });
    await gone.promise;
    await client.close();
  });

  it("can be cut short by the caller", async () => {
    const agent = new FakeAgent({ "session/new": () => new Promise(() => {}) });
    const client = await connect(agent);
    const controller = new AbortController();
    const call = client.newSession({ cwd, signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: "CallCancelledError" });
    await expect(client.newSession({ cwd, signal: controller.signal })).rejects.toMatchObject({
      name: "CallCancelledError",
    });
    await client.close();
  });
});

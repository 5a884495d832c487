import { describe, expect, it } from "vitest";
import { BusyError, CancelIgnoredError } from "../../../src/entries/dragoman.ts";
import {
  cancelled,
  connect,
  cwd,
  deferred,
  endTurn,
  FakeAgent,
  openSession,
} from "../fake-agent.ts";
import { RpcError } from "../../../src/transport/rpc/index.ts";
import { obedient, permissionOptions } from "./obedient-agent.ts";

describe("a prompt during another turn", () => {
  it("rejects by default, and waits with whenBusy", async () => {
    const finish = deferred();
    const agent = new FakeAgent({
      "session/prompt": async () => {
        await finish.promise;
        return endTurn;
      },
    });
    const { session } = await openSession(agent);
    const first = session.prompt("one");
    await expect(session.prompt("two").result).rejects.toBeInstanceOf(BusyError);
    const second = session.prompt("two", { whenBusy: "wait" });
    const third = session.prompt("three", { whenBusy: "wait" });
    finish.resolve();
    await Promise.all([first.result, second.result, third.result]);
    const texts = agent.paramsOf("session/prompt").map(({ prompt }) => prompt);
    expect(texts).toEqual(["one", "two", "three"].map((text) => [{ type: "text", text }]));
  });

  it("waits if the client is configured so, and can be cancelled before it starts", async () => {
    const finish = deferred();
    const agent = new FakeAgent({
      "session/prompt": async () => {
        await finish.promise;
        return endTurn;
      },
    });
    const { session } = await openSession(agent, { whenBusy: "wait" });
    const first = session.prompt("one");
    const second = session.prompt("two");
    await second.cancel();
    expect(await second.result).toMatchObject(cancelled);
    expect(await second.text()).toBe("");
    finish.resolve();
    await first.result;
    expect(agent.paramsOf("session/prompt")).toHaveLength(1);
    expect(agent.paramsOf("session/cancel")).toEqual([]);
  });
});

describe("cancelling a turn", () => {
  it("sends a single cancel, no matter how often it is called", async () => {
    const agent = obedient();
    const { session } = await openSession(agent);
    const turn = session.prompt("go");
    await agent.delivered();
    expect(session.turnState).toBe("streaming");
    const ends = [turn.cancel(), session.cancel(), turn.cancel()];
    expect(session.turnState).toBe("cancelling");
    await Promise.all(ends);
    expect(await turn.result).toMatchObject(cancelled);
    expect(agent.paramsOf("session/cancel")).toEqual([{ sessionId: "s1" }]);
    expect(session.turnState).toBe("idle");
    await session.cancel();
    expect(agent.paramsOf("session/cancel")).toHaveLength(1);
  });

  it("happens when the caller leaves the loop", async () => {
    const agent = obedient();
    const { session } = await openSession(agent);
    const turn = session.prompt("go");
    for await (const { text } of turn) {
      expect(text).toBe("working");
      break;
    }
    expect(await turn.result).toMatchObject(cancelled);
  });

  it("happens when the signal is aborted before the prompt or during the turn", async () => {
    const agent = obedient();
    const { session } = await openSession(agent);
    const before = session.prompt("go", { signal: AbortSignal.abort() });
    expect(await before.result).toMatchObject(cancelled);
    expect(agent.paramsOf("session/prompt")).toEqual([]);
    const controller = new AbortController();
    const during = session.prompt("go", { signal: controller.signal });
    await agent.delivered();
    controller.abort();
    expect(await during.result).toMatchObject(cancelled);
  });

  it("answers open questions, marks tool calls and still applies late updates", async () => {
    const answers = deferred<unknown>();
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        const cancel = agent.next("session/cancel");
        const call = { toolCallId: "t", title: "rm", kind: "execute", status: "in_progress" };
        await agent.update("s1", { sessionUpdate: "tool_call", ...call });
        const ask = () =>
          agent.peer.call("session/request_permission", {
            sessionId: "s1",
            toolCall: call,
            options: permissionOptions,
          });
        const questions = [ask(), ask()];
        await cancel;
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
  });

  it("treats an error answer as the stop reason cancelled", async () => {
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        await agent.next("session/cancel");
        throw new RpcError(-32603, "aborted");
      },
    });
    const { session } = await openSession(agent);
    const turn = session.prompt("go");
    await agent.next("session/prompt");
    await turn.cancel();
    expect(await turn.result).toMatchObject(cancelled);
  });

  it("keeps the stop reason of an agent that had already finished", async () => {
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        await agent.next("session/cancel");
        return endTurn;
      },
    });
    const { session } = await openSession(agent);
    const turn = session.prompt("go");
    await agent.next("session/prompt");
    await turn.cancel();
    expect(await turn.result).toMatchObject(endTurn);
  });

  it("ends queued prompts too", async () => {
    const agent = obedient();
    const { session } = await openSession(agent, { whenBusy: "wait" });
    const turns = [session.prompt("one"), session.prompt("two")];
    await agent.delivered();
    await session.cancel();
    expect(await Promise.all(turns.map(({ result }) => result))).toMatchObject([
      cancelled,
      cancelled,
    ]);
    expect(agent.paramsOf("session/prompt")).toHaveLength(1);
  });

  it("answers open questions outside a turn", async () => {
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
      options: permissionOptions,
    });
    await asked.promise;
    expect(session.turnState).toBe("idle");
    await session.cancel();
    expect(await question).toEqual({ outcome: { outcome: "cancelled" } });
  });
});

describe("an agent that ignores a cancel", () => {
  const stuck = (): FakeAgent => new FakeAgent({ "session/prompt": () => new Promise(() => {}) });

  it("fails the turn after the grace period and is shut down", async () => {
    const agent = stuck();
    const { client, session } = await openSession(agent, { timeouts: { cancelGraceMs: 20 } });
    const turn = session.prompt("go");
    await turn.cancel();
    await expect(turn.result).rejects.toBeInstanceOf(CancelIgnoredError);
    expect(await client.closed).toEqual({ kind: "closed" });
    expect(session.state).not.toBe("open");
  });

  it.each([
    ["session", "open"],
    ["client", "closed"],
  ] as const)("ends the %s if asked, so the client is %s", async (onCancelIgnored, state) => {
    const options = { timeouts: { cancelGraceMs: 20 }, onCancelIgnored };
    const { client, session } = await openSession(stuck(), options);
    if (onCancelIgnored === "client") await client.newSession({ cwd });
    const turn = session.prompt("go");
    await turn.cancel();
    await expect(turn.result).rejects.toBeInstanceOf(CancelIgnoredError);
    await session.closed;
    if (state === "closed") await client.closed;
    expect(client.state).toBe(state);
    await client.close();
  });

  it("loses only this session if the client has others", async () => {
    const agent = stuck();
    const { client, session } = await openSession(agent, { timeouts: { cancelGraceMs: 20 } });
    const other = await client.newSession({ cwd });
    const otherTurn = other.prompt("go");
    const turn = session.prompt("go");
    const waiting = session.prompt("next", { whenBusy: "wait" });
    const loop = turn.text();
    await turn.cancel();
    await expect(loop).rejects.toBeInstanceOf(CancelIgnoredError);
    await expect(turn.result).rejects.toBeInstanceOf(CancelIgnoredError);
    await expect(waiting.result).rejects.toBeInstanceOf(CancelIgnoredError);
    expect(session.state).not.toBe("open");
    await expect(session.prompt("more").result).rejects.toMatchObject({ code: "closed" });
    // The client ignores late updates for the abandoned session.
    await agent.say("s1", "late");
    await agent.say("s2", "alive");
    await agent.delivered();
    expect([other.state, other.turnState]).toEqual(["open", "streaming"]);
    await client.close();
    await expect(otherTurn.result).rejects.toMatchObject({ reason: { kind: "closed" } });
  });
});

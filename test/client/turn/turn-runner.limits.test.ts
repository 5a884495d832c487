import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TimeoutError } from "../../../src/entries/dragoman.ts";
import {
  cancelled,
  connect,
  cwd,
  deferred,
  endTurn,
  FakeAgent,
  openSession,
} from "../fake-agent.ts";
import { obedient, permissionOptions } from "./obedient-agent.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the time limits of a turn", () => {
  it("cancel the turn, which fails with the limit that expired", async () => {
    const agent = obedient();
    const { session } = await openSession(agent, { timeouts: { turn: 30 } });
    const turn = session.prompt("go");
    const text = turn.text();
    await agent.next("session/prompt");
    vi.advanceTimersByTime(30);
    await expect(text).rejects.toMatchObject({ limit: "turn", ms: 30 });
    await expect(turn.result).rejects.toBeInstanceOf(TimeoutError);
    expect(agent.paramsOf("session/cancel")).toHaveLength(1);
  });

  it("restart the idle limit with every update", async () => {
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        await agent.next("session/cancel");
        return cancelled;
      },
    });
    const { session } = await openSession(agent, { timeouts: { turnIdle: 600 } });
    const turn = session.prompt("go");
    const seen: string[] = [];
    const loop = (async () => {
      for await (const { text } of turn) seen.push(text);
    })();
    await agent.next("session/prompt");
    for (let n = 0; n < 8; n++) {
      await agent.say("s1", `${n}`);
      await agent.delivered();
      vi.advanceTimersByTime(599);
    }
    expect(session.turnState).toBe("streaming");
    vi.advanceTimersByTime(1);
    await expect(loop).rejects.toMatchObject({ limit: "turnIdle" });
    expect(seen).toHaveLength(8);
  });

  it("are paused while the user is asked", async () => {
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        await agent.peer.call("session/request_permission", {
          sessionId: "s1",
          toolCall: { toolCallId: "t", kind: "edit" },
          options: permissionOptions,
        });
        return endTurn;
      },
    });
    const asked = deferred();
    const answer = deferred<"cancel">();
    const client = await connect(agent, {
      timeouts: { turn: 500, turnIdle: 500, request: 500 },
      permissions: () => {
        asked.resolve();
        return answer.promise;
      },
    });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    await asked.promise;
    vi.advanceTimersByTime(100_000);
    expect(session.turnState).toBe("waiting_permission");
    answer.resolve("cancel");
    expect(await turn.result).toMatchObject(endTurn);
  });

  it("are the cause of the error if the agent ignores the cancel", async () => {
    const agent = new FakeAgent({ "session/prompt": () => new Promise(() => {}) });
    const { client, session } = await openSession(agent, {
      timeouts: { turn: 10, cancelGrace: 10 },
    });
    const turn = session.prompt("go");
    vi.advanceTimersByTime(10);
    expect(session.turnState).toBe("cancelling");
    vi.advanceTimersByTime(10);
    await expect(turn.result).rejects.toMatchObject({
      name: "CancelIgnoredError",
      cause: { name: "TimeoutError", limit: "turn" },
    });
    await client.closed;
  });
});

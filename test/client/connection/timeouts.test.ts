import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Deadline, Deadlines } from "../../../src/client/connection/timeouts.ts";
import { TimeoutError, type Update } from "../../../src/entries/dragoman.ts";
import {
  cancelled,
  connect,
  cwd,
  deferred,
  endTurn,
  FakeAgent,
  openSession,
} from "../fake-agent.ts";
import { capable } from "../session-fixtures.ts";
import { obedient, permissionOptions } from "../turn/obedient-agent.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a deadline", () => {
  it("expires once, after its time", () => {
    const ring = vi.fn<() => void>();
    void new Deadline(100, ring);
    vi.advanceTimersByTime(99);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  it("restarts when touched", () => {
    const ring = vi.fn<() => void>();
    const deadline = new Deadline(100, ring);
    for (let n = 0; n < 10; n++) {
      vi.advanceTimersByTime(60);
      deadline.touch();
    }
    vi.advanceTimersByTime(99);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  it("is paused until every pause is resumed", () => {
    const ring = vi.fn<() => void>();
    const deadline = new Deadline(100, ring);
    vi.advanceTimersByTime(70);
    deadline.pause();
    deadline.pause();
    vi.advanceTimersByTime(1000);
    deadline.resume();
    vi.advanceTimersByTime(1000);
    expect(ring).not.toHaveBeenCalled();
    deadline.resume();
    vi.advanceTimersByTime(29);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  it("never expires after it was stopped, not even when resumed", () => {
    const ring = vi.fn<() => void>();
    const deadline = new Deadline(100, ring);
    deadline.pause();
    deadline.stop();
    deadline.resume();
    vi.advanceTimersByTime(1000);
    expect(ring).not.toHaveBeenCalled();
  });

  it("supports a limit longer than any timer", () => {
    const ring = vi.fn<() => void>();
    void new Deadline(2 ** 31 + 1000, ring);
    vi.advanceTimersByTime(2 ** 31 - 1);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1001);
    expect(ring).toHaveBeenCalledTimes(1);
  });
});

describe("deadlines", () => {
  it.each([0, Number.POSITIVE_INFINITY, -1, Number.NaN])("treat %s as no limit", (ms) => {
    expect(new Deadlines().start(ms, () => {})).toBeUndefined();
  });

  it("pause together, including those that start meanwhile", () => {
    const ring = vi.fn<() => void>();
    const limits = new Deadlines();
    limits.start(100, ring);
    limits.pause();
    limits.start(100, ring);
    vi.advanceTimersByTime(1000);
    expect(ring).not.toHaveBeenCalled();
    limits.resume();
    vi.advanceTimersByTime(100);
    expect(ring).toHaveBeenCalledTimes(2);
  });

  it("can be stopped one by one or all at once", () => {
    const ring = vi.fn<() => void>();
    const limits = new Deadlines();
    limits.stop(limits.start(100, ring));
    limits.start(100, ring);
    limits.start(200, ring);
    limits.stopAll();
    vi.advanceTimersByTime(1000);
    expect(ring).not.toHaveBeenCalled();
  });
});

describe("loading a session with replaySilenceMs", () => {
  it("waits for replayed updates that arrive after the answer", async () => {
    const agent = new FakeAgent({
      ...capable,
      "session/load": () => {
        setImmediate(() => void agent.say("old", "late"));
        return {};
      },
    });
    const client = await connect(agent);
    const replayed: string[] = [];
    const arrivals = { late: deferred(), later: deferred() };
    let isLoaded = false;
    const loading = client.loadSession({
      sessionId: "old",
      cwd,
      replaySilenceMs: 1000,
      onReplay: ({ text }: Update) => {
        replayed.push(text);
        if (text === "late" || text === "later") arrivals[text].resolve();
      },
    });
    void loading.then(() => (isLoaded = true));
    await arrivals.late.promise;
    await agent.delivered();
    vi.advanceTimersByTime(999);
    await agent.say("old", "later");
    await arrivals.later.promise;
    vi.advanceTimersByTime(999);
    await agent.delivered();
    expect(isLoaded).toBe(false);
    vi.advanceTimersByTime(1);
    await loading;
    expect(replayed).toEqual(["late", "later"]);
    await agent.say("old", "live");
    await agent.delivered();
    expect(replayed).toHaveLength(2);
  });

  it("can be aborted while it waits for the replay to end", async () => {
    const agent = new FakeAgent({
      ...capable,
      "session/load": () => {
        setImmediate(() => void agent.say("old", "late"));
        return {};
      },
    });
    const client = await connect(agent);
    const controller = new AbortController();
    const loading = client.loadSession({
      sessionId: "old",
      cwd,
      replaySilenceMs: 60_000,
      signal: controller.signal,
      onReplay: () => controller.abort(new Error("enough")),
    });
    await expect(loading).rejects.toThrow("enough");
    expect(() => client.session("old")).toThrow('no open session "old"');
  });
});

describe("the time limits of a turn", () => {
  it("cancel the turn, which fails with the limit that expired", async () => {
    const agent = obedient();
    const { session } = await openSession(agent, { timeouts: { turnMs: 30 } });
    const turn = session.prompt("go");
    const text = turn.text();
    await agent.next("session/prompt");
    vi.advanceTimersByTime(30);
    await expect(text).rejects.toMatchObject({ limit: "turnMs", ms: 30 });
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
    const { session } = await openSession(agent, { timeouts: { turnIdleMs: 600 } });
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
    await expect(loop).rejects.toMatchObject({ limit: "turnIdleMs" });
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
      timeouts: { turnMs: 500, turnIdleMs: 500, requestMs: 500 },
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

  it("remain the error if the agent ignores the cancel", async () => {
    const agent = new FakeAgent({ "session/prompt": () => new Promise(() => {}) });
    const { client, session } = await openSession(agent, {
      timeouts: { turnMs: 10, cancelGraceMs: 10 },
    });
    const turn = session.prompt("go");
    vi.advanceTimersByTime(10);
    expect(session.turnState).toBe("cancelling");
    vi.advanceTimersByTime(10);
    await expect(turn.result).rejects.toMatchObject({
      name: "TimeoutError",
      limit: "turnMs",
      cause: { name: "CancelIgnoredError" },
    });
    await client.closed;
  });
});

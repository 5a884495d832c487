import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Update } from "../../../src/entries/dragoman.ts";
import { connect, cwd, deferred, FakeAgent } from "../fake-agent.ts";
import { capable } from "../session-fixtures.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("loading a session with replaySilence", () => {
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
      replaySilence: 1000,
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
      replaySilence: 60_000,
      signal: controller.signal,
      onReplay: () => controller.abort(new Error("enough")),
    });
    await expect(loading).rejects.toThrow("enough");
    expect(() => client.session("old")).toThrow('no open session "old"');
  });
});

import { describe, expect, it, vi } from "vitest";
import { Flow } from "../../../src/client/connection/flow.ts";
import type { Session } from "../../../src/entries/dragoman.ts";
import { setImmediate as nextLoopTurn } from "node:timers/promises";
import { cancelled, connect, cwd, endTurn, FakeAgent, openSession } from "../fake-agent.ts";

function createFlow() {
  const released = vi.fn<() => void>();
  let held = 0;
  const flow = new Flow(() => {
    held++;
    return () => held--;
  }, released);
  return { flow, released, held: () => held };
}

describe("the flow", () => {
  it("is held while a session is behind and nothing waits", () => {
    const { flow, held, released } = createFlow();
    flow.move("quiet", "waiting");
    flow.move("waiting", "waiting");
    expect([flow.held, held()]).toEqual([false, 0]);
    flow.move("waiting", "behind");
    expect([flow.held, held()]).toEqual([true, 1]);
    flow.move("behind", "waiting");
    expect([flow.held, held()]).toEqual([false, 0]);
    expect(released).toHaveBeenCalledTimes(1);
  });

  it("resumes for a call and is held again after it", () => {
    const { flow, held } = createFlow();
    flow.move("quiet", "behind");
    expect(held()).toBe(1);
    flow.enter();
    flow.enter();
    flow.leave();
    expect(held()).toBe(0);
    flow.leave();
    expect(held()).toBe(1);
  });

  it("resumes while another session waits", () => {
    const { flow, held } = createFlow();
    flow.move("quiet", "behind");
    flow.move("quiet", "waiting");
    expect(held()).toBe(0);
    flow.move("waiting", "behind");
    expect(held()).toBe(1);
    flow.move("behind", "quiet");
    expect(held()).toBe(1);
    flow.move("behind", "quiet");
    expect(held()).toBe(0);
  });
});

const MANY = 3000;

/**
 * An agent that obeys backpressure. A prompt in session s1 starts a flood of updates; any other session
 * gets a short answer. `flood.sent` counts the updates of the flood that the client's side has accepted.
 */
function flooding(many = MANY) {
  const flood = { sent: 0 };
  const agent: FakeAgent = new FakeAgent({
    "session/prompt": async ({ sessionId }) => {
      const id = String(sessionId);
      let isCancelled = false;
      void agent.next("session/cancel").then(() => (isCancelled = true));
      for (let n = 0; n < (id === "s1" ? many : 3); n++) {
        if (isCancelled) return cancelled;
        await agent.say(id, `${n} `);
        if (id === "s1") flood.sent = n + 1;
      }
      return endTurn;
    },
    "session/set_mode": () => ({}),
  });
  return { agent, flood };
}

/**
 * Resolves when the client has stopped reading and the agent waits to send. The agent's remaining sends
 * are microtasks, so one turn of the event loop is enough for it to fill the memory pair.
 */
async function held(agent: FakeAgent): Promise<void> {
  await agent.channel.paused();
  await nextLoopTurn();
}

describe("a slow reader", () => {
  it("holds the agent and still gets every update", async () => {
    const { agent, flood } = flooding();
    const { session } = await openSession(agent, { maxBuffered: 16 });
    const turn = session.prompt("go");
    const updates = turn[Symbol.asyncIterator]();
    expect(await updates.next()).toMatchObject({ value: { text: "0 " } });
    await held(agent);
    // 16 updates wait for the reader, and the memory pair takes some more.
    expect(flood.sent).toBeLessThan(600);
    expect(session.turnState).toBe("streaming");
    let next = 1;
    for (;;) {
      const { done, value } = await updates.next();
      if (done) break;
      expect(value.text).toBe(`${next++} `);
    }
    expect(next).toBe(MANY);
    expect(turn.dropped).toBe(0);
    expect(await turn.result).toMatchObject(endTurn);
  });

  it("also holds the agent as a reader of the session", async () => {
    const { agent, flood } = flooding();
    const { session } = await openSession(agent, { maxBuffered: 16 });
    const events = session.updates();
    const first = events.next();
    const turn = session.prompt("go");
    await first;
    await held(agent);
    expect(flood.sent).toBeLessThan(600);
    let seen = 0;
    for await (const { type } of events) {
      if (type === "turn_ended") break;
      seen++;
    }
    expect(seen).toBe(MANY);
    expect(turn.dropped).toBe(MANY - 16);
  });

  const releases: readonly (readonly [string, (session: Session) => Promise<void> | undefined])[] =
    [
      ["the turn is cancelled", (session) => session.turn?.cancel()],
      ["the session is closed", (session) => session.close()],
      ["a call waits for its answer", (session) => session.setMode("code")],
    ];
  it.each(releases)("releases the agent when %s", async (_, release) => {
    const { agent, flood } = flooding(20_000);
    const modes = { currentModeId: "code", availableModes: [{ id: "code", name: "Code" }] };
    agent.handlers["session/new"] = () => ({ sessionId: "s1", modes });
    const { session } = await openSession(agent, { maxBuffered: 16 });
    const turn = session.prompt("go");
    const updates = turn[Symbol.asyncIterator]();
    await updates.next();
    await held(agent);
    const sentWhileHeld = flood.sent;
    const released = release(session);
    expect(agent.channel.isPaused).toBe(false);
    await released;
    await nextLoopTurn();
    expect(flood.sent).toBeGreaterThan(sentWhileHeld);
    void updates.return?.();
    expect(await turn.result).toMatchObject(cancelled);
  });

  it("releases the agent when it leaves the loop", async () => {
    const { agent } = flooding(100_000);
    const { session } = await openSession(agent, { maxBuffered: 16 });
    const turn = session.prompt("go");
    for await (const _ of turn) {
      await held(agent);
      break;
    }
    expect(await turn.result).toMatchObject(cancelled);
  });

  it("releases the agent when the client is closed", async () => {
    const { agent } = flooding(100_000);
    const { client, session } = await openSession(agent, { maxBuffered: 16 });
    const turn = session.prompt("go");
    const updates = turn[Symbol.asyncIterator]();
    await updates.next();
    await held(agent);
    await client.close();
    await expect(turn.result).rejects.toMatchObject({ reason: { kind: "closed" } });
    await expect(
      (async () => {
        for (;;) if ((await updates.next()).done) return;
      })(),
    ).rejects.toMatchObject({ reason: { kind: "closed" } });
  });
});

describe("a turn without a reader", () => {
  it.each([
    ["the caller does not wait for it", false],
    ["the caller only awaits its result", true],
  ])("finishes when %s", async (_, awaited) => {
    const { agent } = flooding();
    const { session } = await openSession(agent, { maxBuffered: 16 });
    const turn = session.prompt("go");
    if (awaited) expect(await turn.result).toMatchObject(endTurn);
    while (session.turn) await agent.delivered();
    expect(turn.dropped).toBe(MANY - 16);
  });

  it("is not held by a session reader that never reads", async () => {
    const { agent } = flooding();
    const { session } = await openSession(agent, { maxBuffered: 16 });
    const events = session.updates();
    expect(await session.prompt("go").text()).toHaveLength(
      Array.from({ length: MANY }, (_, n) => `${n} `).join("").length,
    );
    expect(session.dropped).toBe(MANY + 2 - 16);
    expect(await events.next()).toMatchObject({ value: { text: `${MANY - 15} ` } });
  });

  it("finishes when its result is awaited inside a loop over the session", async () => {
    const { agent } = flooding(400);
    const { session } = await openSession(agent, { maxBuffered: 16 });
    const events = session.updates();
    const turn = session.prompt("go");
    for await (const event of events) {
      if (event.type === "turn_started") await turn.result;
      if (event.type === "turn_ended") break;
    }
    expect(await turn.result).toMatchObject(endTurn);
  });
});

describe("a reader that waits for another session", () => {
  it("gets the answer even though its own backlog is full", async () => {
    const { agent } = flooding(400);
    const client = await connect(agent, { maxBuffered: 16 });
    const slow = await client.newSession({ cwd });
    const other = await client.newSession({ cwd });
    const seen: string[] = [];
    const answers: string[] = [];
    for await (const { text } of slow.prompt("flood")) {
      seen.push(text);
      if (seen.length === 1) {
        await held(agent);
        answers.push(await other.prompt("quick").text());
      } else if (seen.length === 2) {
        answers.push((await other.prompt("quick").result).stopReason);
      } else if (seen.length === 3) {
        answers.push((await client.newSession({ cwd })).id);
      }
    }
    expect(answers).toEqual(["0 1 2 ", "end_turn", "s3"]);
    expect(seen).toEqual(Array.from({ length: 400 }, (_, n) => `${n} `));
  });

  it("loses updates with an error if it waits too long, so that memory stays bounded", async () => {
    const { agent } = flooding(MANY);
    const client = await connect(agent, { maxBuffered: 16 });
    const slow = await client.newSession({ cwd });
    const other = await client.newSession({ cwd });
    const turn = slow.prompt("flood");
    await agent.next("session/prompt");
    agent.handlers["session/prompt"] = async () => {
      while (slow.turn) await agent.delivered();
      return endTurn;
    };
    let seen = 0;
    const loop = (async () => {
      for await (const _ of turn) if (seen++ === 0) await other.prompt("slow").result;
    })();
    await expect(loop).rejects.toMatchObject({ code: "updates_lost", count: MANY - 16 * 64 - 1 });
    expect(seen).toBe(16 * 64 + 1);
    expect(await turn.result).toMatchObject(endTurn);
  });
});

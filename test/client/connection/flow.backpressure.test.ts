import { describe, expect, it } from "vitest";
import type { Session } from "../../src/entries/dragoman.ts";
import { cancelled, connect, deferred, endTurn, FakeAgent } from "./fake-agent.ts";

const cwd = "/project";
const MANY = 3000;

/**
 * An agent that obeys backpressure. Session s1 floods; every other one answers at once. `sent` is how
 * many updates of the flood have gone out.
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

/** Resolves when nothing moves any more. */
async function standstill(count: () => number): Promise<number> {
  for (let last = -1; last !== count();) {
    last = count();
    for (let n = 0; n < 20; n++) await new Promise((go) => setImmediate(go));
  }
  return count();
}

describe("a reader that is slow", () => {
  it("holds the agent, and gets everything all the same", async () => {
    const { agent, flood } = flooding();
    const client = await connect(agent, { maxBuffered: 16 });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    const updates = turn[Symbol.asyncIterator]();
    expect(await updates.next()).toMatchObject({ value: { text: "0 " } });
    // 16 wait for the reader, and what the memory pair takes stands before the agent.
    expect(await standstill(() => flood.sent)).toBeLessThan(600);
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
    await client.close();
  });

  it("holds the agent as a reader of the session, too", async () => {
    const { agent, flood } = flooding();
    const client = await connect(agent, { maxBuffered: 16 });
    const session = await client.newSession({ cwd });
    const events = session.updates();
    const first = events.next();
    const turn = session.prompt("go");
    await first;
    expect(await standstill(() => flood.sent)).toBeLessThan(600);
    let seen = 0;
    for await (const { type } of events) {
      if (type === "turn_ended") break;
      seen++;
    }
    expect(seen).toBe(MANY);
    expect(turn.dropped).toBe(MANY - 16);
    await client.close();
  });

  const lifted: readonly (readonly [string, (session: Session) => void])[] = [
    ["the turn is cancelled", (session) => void session.turn?.cancel()],
    ["the session is closed", (session) => void session.close()],
    ["a call waits", (session) => void session.setMode("code")],
  ];
  it.each(lifted)("lets go when %s", async (_, lift) => {
    const { agent, flood } = flooding(20_000);
    const modes = { currentModeId: "code", availableModes: [{ id: "code", name: "Code" }] };
    agent.handlers["session/new"] = () => ({ sessionId: "s1", modes });
    const client = await connect(agent, { maxBuffered: 16 });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    const updates = turn[Symbol.asyncIterator]();
    await updates.next();
    const held = await standstill(() => flood.sent);
    lift(session);
    await agent.delivered();
    expect(flood.sent).toBeGreaterThanOrEqual(held);
    void updates.return?.();
    expect(await turn.result).toMatchObject(cancelled);
    await client.close();
  });

  it("lets go when it leaves the loop", async () => {
    const { agent } = flooding(100_000);
    const client = await connect(agent, { maxBuffered: 16 });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    for await (const _ of turn) {
      await new Promise((go) => setTimeout(go, 20));
      break;
    }
    expect(await turn.result).toMatchObject(cancelled);
    await client.close();
  });

  it("lets go when the client is closed", async () => {
    const { agent, flood } = flooding(100_000);
    const client = await connect(agent, { maxBuffered: 16 });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    const updates = turn[Symbol.asyncIterator]();
    await updates.next();
    await standstill(() => flood.sent);
    await client.close();
    await expect(turn.result).rejects.toMatchObject({ reason: { kind: "closed" } });
    await expect(
      (async () => {
        for (;;) if ((await updates.next()).done) return;
      })(),
    ).rejects.toMatchObject({ reason: { kind: "closed" } });
  });
});

describe("a turn that nobody reads", () => {
  it.each([
    ["nobody waits for", false],
    ["only its result is awaited of", true],
  ])("finishes when %s it", async (_, awaited) => {
    const { agent } = flooding();
    const client = await connect(agent, { maxBuffered: 16 });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("go");
    if (awaited) expect(await turn.result).toMatchObject(endTurn);
    while (session.turn) await agent.delivered();
    expect(turn.dropped).toBe(MANY - 16);
    await client.close();
  });

  it("is not held by a reader that was made and never read", async () => {
    const { agent } = flooding();
    const client = await connect(agent, { maxBuffered: 16 });
    const session = await client.newSession({ cwd });
    const events = session.updates();
    expect(await session.prompt("go").text()).toHaveLength(
      Array.from({ length: MANY }, (_, n) => `${n} `).join("").length,
    );
    expect(session.dropped).toBe(MANY + 2 - 16);
    expect(await events.next()).toMatchObject({ value: { text: `${MANY - 15} ` } });
    await client.close();
  });

  it("finishes for who awaits its result inside a loop over the session", async () => {
    const { agent } = flooding(400);
    const client = await connect(agent, { maxBuffered: 16 });
    const session = await client.newSession({ cwd });
    const events = session.updates();
    const turn = session.prompt("go");
    for await (const event of events) {
      if (event.type === "turn_started") await turn.result;
      if (event.type === "turn_ended") break;
    }
    await client.close();
  });
});

describe("a reader that waits for another session", () => {
  it("gets its answer though its own backlog is full", async () => {
    const { agent, flood } = flooding(400);
    const client = await connect(agent, { maxBuffered: 16 });
    const slow = await client.newSession({ cwd });
    const other = await client.newSession({ cwd });
    const seen: string[] = [];
    const answers: string[] = [];
    const full = deferred();
    for await (const { text } of slow.prompt("flood")) {
      seen.push(text);
      if (seen.length === 1) {
        await standstill(() => flood.sent);
        full.resolve();
        answers.push(await other.prompt("quick").text());
      } else if (seen.length === 2) {
        answers.push((await other.prompt("quick").result).stopReason);
      } else if (seen.length === 3) {
        answers.push((await client.newSession({ cwd })).id);
      }
    }
    await full.promise;
    expect(answers).toEqual(["0 1 2 ", "end_turn", "s3"]);
    expect(seen).toEqual(Array.from({ length: 400 }, (_, n) => `${n} `));
    await client.close();
  });

  it("loses updates rather than memory when it waits too long, and is told", async () => {
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
    await client.close();
  });
});

import { describe, expect, it } from "vitest";
import { AlreadyReadError } from "../../../src/entries/dragoman.ts";
import { connect, cwd, deferred, endTurn, FakeAgent, openSession } from "../fake-agent.ts";

/** A session of an agent that answers each prompt with these words, and its client. */
async function answering(words: readonly string[], config = {}) {
  const agent: FakeAgent = new FakeAgent({
    "session/prompt": ({ sessionId }) => {
      for (const word of words) void agent.say(String(sessionId), word);
      return endTurn;
    },
  });
  const client = await connect(agent, config);
  return { agent, client, session: await client.newSession({ cwd }) };
}

describe("a turn", () => {
  it("yields its updates in order and ends after the last one", async () => {
    const { session } = await answering(["one ", "two ", "three"]);
    const turn = session.prompt("count");
    expect(session.turn).toBe(turn);
    expect(session.turnState).toBe("prompting");
    const seen: string[] = [];
    for await (const update of turn) {
      seen.push(update.text);
    }
    expect(seen).toEqual(["one ", "two ", "three"]);
    expect(await turn.result).toMatchObject(endTurn);
    expect(session.turnState).toBe("idle");
    expect(session.turn).toBeUndefined();
  });

  it("collects the text of the answer and nothing else", async () => {
    const agent = new FakeAgent({
      "session/prompt": () => {
        void agent.say("s1", "Hello, ");
        void agent.update("s1", { sessionUpdate: "plan", entries: [] });
        void agent.update("s1", {
          sessionUpdate: "agent_thought_chunk",
          content: { type: "text", text: "hm" },
        });
        void agent.say("s1", "world");
        return endTurn;
      },
    });
    const { session } = await openSession(agent);
    expect(await session.prompt("hi").text()).toBe("Hello, world");
  });

  it("keeps a stop reason that the protocol does not define", async () => {
    const agent = new FakeAgent({ "session/prompt": () => ({ stopReason: "bored", usage: 1 }) });
    const { session } = await openSession(agent);
    const result = await session.prompt("hi").result;
    expect(result).toEqual({
      stopReason: "bored",
      text: "",
      finalMessage: "",
      raw: { stopReason: "bored", usage: 1 },
    });
  });

  it("fails without a stop reason, both in the loop and in the result", async () => {
    const agent = new FakeAgent({
      "session/prompt": () => {
        void agent.say("s1", "well");
        return {};
      },
    });
    const { session } = await openSession(agent);
    const turn = session.prompt("hi");
    const seen: string[] = [];
    const loop = (async () => {
      for await (const { text } of turn) seen.push(text);
    })();
    await expect(loop).rejects.toMatchObject({ name: "ProtocolViolation", path: "stopReason" });
    await expect(turn.result).rejects.toMatchObject({ path: "stopReason" });
    expect(seen).toEqual(["well"]);
    agent.handlers["session/prompt"] = () => endTurn;
    expect(await session.prompt("again").result).toMatchObject(endTurn);
  });

  it("can be iterated only once", async () => {
    const { session } = await answering(["x"]);
    const turn = session.prompt("hi");
    for await (const { text } of turn) expect(text).toBe("x");
    expect(() => turn[Symbol.asyncIterator]()).toThrow(AlreadyReadError);
  });

  it("separates its messages by a blank line, and names the last one", async () => {
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async () => {
        await agent.say("s1", "Let me read the file.");
        await agent.update("s1", { sessionUpdate: "tool_call", toolCallId: "1", title: "Read" });
        await agent.say("s1", "The file has ");
        await agent.update("s1", { sessionUpdate: "tool_call_update", toolCallId: "1" });
        await agent.say("s1", "3 lines.");
        return endTurn;
      },
    });
    const { session } = await openSession(agent);
    const turn = session.prompt("hi");
    for await (const update of turn) expect(update.type).not.toBe("unknown");
    const text = "Let me read the file.\n\nThe file has 3 lines.";
    expect(await turn.text()).toBe(text);
    expect(await turn.result).toMatchObject({ text, finalMessage: "The file has 3 lines." });
  });

  it("can be read after it has ended", async () => {
    const { session } = await answering(["a", "b"]);
    const turn = session.prompt("hi");
    await turn.result;
    expect(await turn.text()).toBe("ab");
  });

  it("keeps the last updates and counts the dropped ones if it has no reader", async () => {
    const words = Array.from({ length: 50 }, (_, index) => `${index} `);
    const { session } = await answering(words, { maxBuffered: 8 });
    const turn = session.prompt("hi");
    await turn.result;
    expect(turn.dropped).toBe(42);
    const seen: string[] = [];
    for await (const { text } of turn) seen.push(text);
    expect(seen).toEqual(words.slice(-8));
    expect(await turn.text()).toBe(words.join(""));
  });

  it("runs in parallel with turns of other sessions and gets only its own updates", async () => {
    const secondRuns = deferred();
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async ({ sessionId }) => {
        const id = String(sessionId);
        await agent.say(id, `${id} starts; `);
        if (id === "s1") await secondRuns.promise;
        else secondRuns.resolve();
        await agent.say(id, `${id} ends`);
        return endTurn;
      },
    });
    const client = await connect(agent);
    const one = await client.newSession({ cwd });
    const two = await client.newSession({ cwd });
    const texts = await Promise.all([one.prompt("x").text(), two.prompt("x").text()]);
    expect(texts).toEqual(["s1 starts; s1 ends", "s2 starts; s2 ends"]);
  });
});

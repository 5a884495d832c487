import { describe, expect, it } from "vitest";
import {
  AlreadyReadError,
  BusyError,
  resourceLink,
  UpdatesLostError,
  type PromptContent,
} from "../../src/entries/dragoman.ts";
import {
  cancelled,
  connect,
  deferred,
  endTurn,
  everything,
  FakeAgent,
  initialized,
  newSession,
} from "./fake-agent.ts";

const cwd = "/project";

/** A client and a session of an agent that answers each prompt with these words. */
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
  it("hands over its updates in order and ends after the last", async () => {
    const { client, session } = await answering(["one ", "two ", "three"]);
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
    await client.close();
  });

  it("collects its text and leaves the rest out", async () => {
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
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    expect(await session.prompt("hi").text()).toBe("Hello, world");
    await client.close();
  });

  it("keeps words for why it stopped that are not the protocol's", async () => {
    const agent = new FakeAgent({ "session/prompt": () => ({ stopReason: "bored", usage: 1 }) });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const result = await session.prompt("hi").result;
    expect(result).toEqual({ stopReason: "bored", raw: { stopReason: "bored", usage: 1 } });
    await client.close();
  });

  it("fails on an answer without a reason, in the loop and in the result", async () => {
    const agent = new FakeAgent({
      "session/prompt": () => {
        void agent.say("s1", "well");
        return {};
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
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
    await client.close();
  });

  it("is read once", async () => {
    const { client, session } = await answering(["x"]);
    const turn = session.prompt("hi");
    expect(await turn.text()).toBe("x");
    await expect(turn.text()).rejects.toBeInstanceOf(AlreadyReadError);
    expect(() => turn[Symbol.asyncIterator]()).toThrow(AlreadyReadError);
    await client.close();
  });

  it("can be read after it is over", async () => {
    const { client, session } = await answering(["a", "b"]);
    const turn = session.prompt("hi");
    await turn.result;
    expect(await turn.text()).toBe("ab");
    await client.close();
  });

  it("that nobody reads keeps the last updates and counts the others", async () => {
    const words = Array.from({ length: 50 }, (_, index) => `${index} `);
    const { client, session } = await answering(words, { maxBuffered: 8 });
    const turn = session.prompt("hi");
    await turn.result;
    expect(turn.dropped).toBe(42);
    const seen: string[] = [];
    for await (const { text } of turn) seen.push(text);
    expect(seen).toEqual(words.slice(-8));

    const second = session.prompt("hi");
    await second.result;
    await expect(second.text()).rejects.toBeInstanceOf(UpdatesLostError);
    await client.close();
  });

  it("runs beside those of other sessions, each with its own updates", async () => {
    const open = deferred();
    const agent: FakeAgent = new FakeAgent({
      "session/prompt": async ({ sessionId }) => {
        const id = String(sessionId);
        await agent.say(id, `${id} begins; `);
        if (id === "s1") await open.promise;
        else open.resolve();
        await agent.say(id, `${id} ends`);
        return endTurn;
      },
    });
    const client = await connect(agent);
    const one = await client.newSession({ cwd });
    const two = await client.newSession({ cwd });
    const texts = await Promise.all([one.prompt("x").text(), two.prompt("x").text()]);
    expect(texts).toEqual(["s1 begins; s1 ends", "s2 begins; s2 ends"]);
    await client.close();
  });
});

describe("a second prompt", () => {
  it("throws unless told to wait", async () => {
    const gate = deferred();
    const agent = new FakeAgent({
      "session/prompt": async () => {
        await gate.promise;
        return endTurn;
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const first = session.prompt("one");
    expect(() => session.prompt("two")).toThrow(BusyError);
    const second = session.prompt("two", { whenBusy: "wait" });
    const third = session.prompt("three", { whenBusy: "wait" });
    gate.resolve();
    await Promise.all([first.result, second.result, third.result]);
    const texts = agent.of("session/prompt").map(({ prompt }) => prompt);
    expect(texts).toEqual(["one", "two", "three"].map((text) => [{ type: "text", text }]));
    await client.close();
  });

  it("waits where the client says so, and can be cancelled before it begins", async () => {
    const gate = deferred();
    const agent = new FakeAgent({
      "session/prompt": async () => {
        await gate.promise;
        return endTurn;
      },
    });
    const client = await connect(agent, { whenBusy: "wait" });
    const session = await client.newSession({ cwd });
    const first = session.prompt("one");
    const second = session.prompt("two");
    await second.cancel();
    expect(await second.result).toMatchObject(cancelled);
    expect(await second.text()).toBe("");
    gate.resolve();
    await first.result;
    expect(agent.of("session/prompt")).toHaveLength(1);
    expect(agent.of("session/cancel")).toEqual([]);
    await client.close();
  });
});

describe("what is prompted", () => {
  const image = { type: "image", data: "AA==", mimeType: "image/png" } as const;
  const audio = { type: "audio", data: "AA==", mimeType: "audio/wav" } as const;
  const resource = { type: "resource", resource: { uri: "file:///x", text: "x" } } as const;

  it("may be text, a block, or a list of both", async () => {
    const agent = new FakeAgent({
      initialize: () => initialized(everything),
      "session/prompt": () => endTurn,
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const link = resourceLink("/project/a b.txt", { mimeType: "text/plain" });
    await session.prompt("text").result;
    await session.prompt(image).result;
    await session.prompt(["look", image, audio, resource, link], { meta: { k: 1 } }).result;
    expect(agent.of("session/prompt")).toEqual([
      { sessionId: "s1", prompt: [{ type: "text", text: "text" }] },
      { sessionId: "s1", prompt: [image] },
      {
        sessionId: "s1",
        prompt: [
          { type: "text", text: "look" },
          image,
          audio,
          resource,
          {
            type: "resource_link",
            uri: "file:///project/a%20b.txt",
            name: "a b.txt",
            mimeType: "text/plain",
          },
        ],
        _meta: { k: 1 },
      },
    ]);
    await client.close();
  });

  it.each([
    [image, "promptCapabilities.image"],
    [audio, "promptCapabilities.audio"],
    [resource, "promptCapabilities.embeddedContext"],
  ])("is refused where the agent does not take it: $0.type", async (block, capability) => {
    const agent = new FakeAgent();
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    expect(() => session.prompt(["x", block])).toThrow(capability);
    expect(agent.of("session/prompt")).toEqual([]);
    expect(session.turnState).toBe("idle");
    await client.close();
  });

  it.each([[[]], [[{ type: "text" }]], [[42]], [{ type: "video", data: "" }], [null]])(
    "is refused if it is no content: %j",
    async (content) => {
      const client = await connect(new FakeAgent({ "session/new": newSession() }));
      const session = await client.newSession({ cwd });
      expect(() => session.prompt(content as PromptContent)).toThrow(
        expect.objectContaining({ code: "invalid_argument" }),
      );
      await client.close();
    },
  );

  it.each([
    ["https://example.com/spec.txt?x=1", "https://example.com/spec.txt?x=1", "spec.txt"],
    ["https://example.com", "https://example.com/", "example.com"],
    [new URL("file:///a/%C3%A9.md"), "file:///a/%C3%A9.md", "é.md"],
  ])("links to %s", (target, uri, name) => {
    expect(resourceLink(target)).toEqual({ type: "resource_link", uri, name });
    expect(resourceLink(target, { name: "n", description: "d" })).toMatchObject({
      name: "n",
      description: "d",
    });
  });
});

import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import type { SessionUpdate } from "../../../src/entries/agent.ts";
import { deferred } from "../../../src/base/index.ts";
import { promptAgent } from "../definitions.ts";
import { errorOf, serve, workspace, opened } from "../harness.ts";

const chunk = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});

describe("loading a session", () => {
  it.each([
    [
      "a generator",
      promptAgent(async () => {}, {
        async *loadSession() {
          for (let i = 0; i < 3; i++) yield chunk(String(i));
          return {};
        },
      }),
    ],
    [
      "a callback",
      promptAgent(async () => {}, {
        async loadSession({ replay }) {
          for (let i = 0; i < 3; i++) await replay(chunk(String(i)));
          return {};
        },
      }),
    ],
  ])(
    "through %s replays everything before the answer, and then takes prompts",
    async (_, agent) => {
      const { client } = await serve(agent);
      expect(await client.call("session/load", { sessionId: "s", ...workspace })).toEqual({});
      expect(client.text()).toBe("012");
      expect(await client.prompt("s", "x")).toBe("end_turn");
    },
  );

  it("replays 20,000 updates at the client's pace", async () => {
    let made = 0;
    let ahead = 0;
    let received = 0;
    const { client } = await serve(
      promptAgent(async () => {}, {
        async *loadSession() {
          for (; made < 20_000; made++) {
            ahead = Math.max(ahead, made - received);
            yield chunk(`${made} `);
          }
          return {};
        },
      }),
      { onUpdate: () => received++ },
    );
    await client.call("session/load", { sessionId: "s", ...workspace });
    expect(received).toBe(20_000);
    expect(ahead).toBeLessThan(1000);
  });

  it("blocks other requests for the session, and stops if the session is closed", async () => {
    const gate = deferred();
    const { client } = await serve(
      promptAgent(async () => {}, {
        closeSession: () => {},
        async *loadSession({ signal }) {
          yield chunk("a");
          await gate.promise;
          signal.throwIfAborted();
          return {};
        },
      }),
    );
    const params = { sessionId: "s", ...workspace };
    const loading = client.call("session/load", params);
    await client.waitFor("update agent_message_chunk");
    const opening = { code: -32600, message: "The session is being opened" };
    expect(await errorOf(client.call("session/load", params))).toMatchObject(opening);
    expect(await errorOf(client.prompt("s", "x"))).toMatchObject(opening);
    expect(await client.call("session/close", { sessionId: "s" })).toEqual({});
    gate.resolve();
    expect(await errorOf(loading)).toMatchObject({
      code: -32600,
      message: "The session was closed",
    });
    expect(await errorOf(client.prompt("s", "x"))).toMatchObject({ code: -32002 });
  });

  it("fails at once while the session is busy", async () => {
    const gate = deferred();
    const { client, sessionId } = await opened(
      promptAgent(
        async (turn) => {
          await turn.say("working");
          await gate.promise;
        },
        { loadSession: () => ({}) },
      ),
    );
    const prompt = client.prompt(sessionId, "x");
    await client.waitFor("update agent_message_chunk");
    expect(await errorOf(client.call("session/load", { sessionId, ...workspace }))).toMatchObject({
      code: -32600,
    });
    gate.resolve();
    expect(await prompt).toBe("end_turn");
  });
});

describe("resuming a session", () => {
  it("replays nothing", async () => {
    const { client } = await serve(promptAgent(async () => {}, { resumeSession: () => ({}) }));
    expect(await client.call("session/resume", { sessionId: "s", cwd: tmpdir() })).toEqual({});
    expect(client.log).toEqual([]);
    expect(await client.prompt("s", "x")).toBe("end_turn");
  });
});

describe("sessionOpened", () => {
  it("is called once the client knows the session, and not before", async () => {
    const { client } = await serve(
      promptAgent(async () => {}, {
        sessionOpened: (session, how) => session.title(how),
        sessionId: () => "mine",
        forkSession: () => ({}),
        resumeSession: () => ({}),
      }),
      { version: "unstable" },
    );
    const opened = await client.peer.call("session/new", workspace, {
      accept: (result) => ({ result, log: [...client.log] }),
    });
    expect(opened).toEqual({ result: { sessionId: "mine" }, log: [] });
    await client.waitFor("update session_info_update");
    expect(client.updates[0]).toMatchObject({ title: "new" });
    await client.call("session/fork", { sessionId: "mine", cwd: tmpdir() });
    await client.call("session/resume", { sessionId: "mine", cwd: tmpdir() });
  });
});

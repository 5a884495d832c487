import { describe, expect, it } from "vitest";
import { CapabilityError, SessionError } from "../../../src/entries/dragoman.ts";
import { chunk, cwd, deferred, endTurn, openSession, type Params } from "../fake-agent.ts";
import { unstableAgent } from "./fixtures.ts";

const announce = (more: Params = {}): Params => ({
  sessionUpdate: "subagent_update",
  sessionId: "child",
  title: "Tester",
  ...more,
});

async function opened(config: Parameters<typeof openSession>[1] = {}) {
  const agent = unstableAgent();
  const { client, session } = await openSession(agent, { unstable: true, ...config });
  return { agent, client, session };
}

const permission = {
  toolCall: { toolCallId: "t", kind: "read", title: "Read" },
  options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
};

describe("a subagent", () => {
  it("is part of its parent's state, and its own updates can be read", async () => {
    const { agent, session } = await opened();
    await agent.update("s1", announce({ state: { state: "running" } }));
    await agent.update("child", chunk("hello "));
    await agent.update("child", chunk("world"));
    await agent.update("s1", announce({ title: null, state: { state: "idle" } }));
    await agent.delivered();
    expect(session.subagents.get("child")).toMatchObject({
      title: undefined,
      activity: { state: "idle" },
    });
    const subagent = session.subagent("child");
    const said: string[] = [];
    for await (const update of subagent.updates()) {
      said.push(update.text);
      if (said.length === 2) break;
    }
    expect(said).toEqual(["hello ", "world"]);
    expect(subagent.details?.activity).toEqual({ state: "idle" });
  });

  it("is not one of the client's sessions", async () => {
    const { client, agent } = await opened();
    await agent.update("s1", announce());
    await agent.delivered();
    expect(client.sessions.map(({ id }) => id)).toEqual(["s1"]);
    expect(() => client.session("child")).toThrow(SessionError);
  });

  it("is found only through its parent", async () => {
    const { client, agent, session } = await opened();
    const other = await client.newSession({ cwd });
    await agent.update("s1", announce());
    await agent.delivered();
    expect(session.subagent("child").id).toBe("child");
    expect(() => other.subagent("child")).toThrow(SessionError);
    expect(() => session.subagent("unknown")).toThrow(SessionError);
  });

  it("may have subagents of its own", async () => {
    const { agent, session } = await opened();
    await agent.update("s1", announce());
    await agent.update("child", announce({ sessionId: "grandchild", title: "Helper" }));
    await agent.delivered();
    const child = session.subagent("child");
    expect(child.subagents.get("grandchild")?.title).toBe("Helper");
    expect(child.subagent("grandchild").id).toBe("grandchild");
  });

  it("asks for permission like any session, and its parent waits", async () => {
    const asked = deferred();
    const answer = deferred();
    const { agent, session } = await opened({
      permissions: async () => {
        asked.resolve();
        await answer.promise;
        return { optionId: "yes" };
      },
    });
    const ended = deferred<typeof endTurn>();
    agent.handlers["session/prompt"] = () => ended.promise;
    const turn = session.prompt("x");
    await agent.update("s1", announce());
    const asking = agent.peer.call("session/request_permission", {
      sessionId: "child",
      ...permission,
    });
    await asked.promise;
    expect(session.turnState).toBe("waiting_permission");
    answer.resolve();
    expect(await asking).toEqual({ outcome: { outcome: "selected", optionId: "yes" } });
    ended.resolve(endTurn);
    await turn.result;
  });

  it("keeps to the folders of its parent, whatever folders the agent reports", async () => {
    const { agent } = await opened();
    await agent.update("s1", announce({ cwd: "/", additionalDirectories: ["/etc"] }));
    const reading = agent.peer.call("fs/read_text_file", {
      sessionId: "child",
      path: "/etc/passwd",
    });
    await expect(reading).rejects.toThrow("outside");
  });

  it("is cancelled only if the agent allows it", async () => {
    const { agent, session } = await opened();
    await agent.update("s1", announce());
    await agent.delivered();
    const subagent = session.subagent("child");
    await expect(subagent.cancel()).rejects.toThrow(CapabilityError);
    await agent.update("s1", announce({ capabilities: { cancel: {} } }));
    await agent.delivered();
    await subagent.cancel();
    await agent.delivered();
    expect(agent.paramsOf("session/cancel")).toEqual([{ sessionId: "child" }]);
  });

  it("answers its open questions with cancelled when it is cancelled", async () => {
    const asked = deferred();
    const { agent, session } = await opened({
      permissions: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    await agent.update("s1", announce({ capabilities: { cancel: {} } }));
    const asking = agent.peer.call("session/request_permission", {
      sessionId: "child",
      ...permission,
    });
    await asked.promise;
    await session.subagent("child").cancel();
    expect(await asking).toEqual({ outcome: { outcome: "cancelled" } });
    await agent.delivered();
    expect(agent.paramsOf("session/cancel")).toEqual([{ sessionId: "child" }]);
  });

  it("ends with its parent", async () => {
    const { agent, session } = await opened();
    await agent.update("s1", announce());
    await agent.delivered();
    const updates = session.subagent("child").updates();
    await session.close();
    expect(await updates.next()).toEqual({ done: true, value: undefined });
    await expect(
      agent.peer.call("session/request_permission", { sessionId: "child", ...permission }),
    ).rejects.toThrow();
  });

  it("cannot take the id of another session", async () => {
    const { client, agent, session } = await opened();
    const other = await client.newSession({ cwd });
    await agent.update("s1", announce({ sessionId: other.id }));
    await agent.delivered();
    expect(client.session(other.id)).toBe(other);
    expect(() => session.subagent(other.id)).toThrow(SessionError);
  });

  it("does not make the client grow without bound", async () => {
    const { agent, session } = await opened();
    await agent.update("s1", announce({ sessionId: "busy", state: { state: "running" } }));
    for (let n = 0; n < 300; n++) {
      const sessionId = `child${n}`;
      await agent.update("s1", announce({ sessionId, state: { state: "idle" } }));
      await agent.update(sessionId, chunk("x"));
    }
    await agent.delivered();
    const kept = [...session.subagents.keys()].filter((id) => {
      try {
        return session.subagent(id).id === id;
      } catch {
        return false;
      }
    });
    expect(kept.length).toBeLessThanOrEqual(64);
    expect(kept).toContain("busy");
    expect(kept).toContain("child299");
  });
});

it("messages between sessions and plans with ids become part of the session", async () => {
  const { agent, session } = await opened();
  await agent.update("s1", {
    sessionUpdate: "session_message",
    messageId: "m",
    senderSessionId: "s1",
    recipientSessionId: "child",
  });
  const content = { type: "text", text: "go" };
  await agent.update("s1", { sessionUpdate: "session_message_chunk", messageId: "m", content });
  const plan = { type: "markdown", planId: "p", content: "# Plan" };
  await agent.update("s1", { sessionUpdate: "plan_update", plan });
  await agent.delivered();
  expect(session.sessionMessages.get("m")).toMatchObject({
    recipientSessionId: "child",
    content: [content],
  });
  expect([...session.plans.values()]).toEqual([plan]);
});

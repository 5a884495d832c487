import { describe, expect, it } from "vitest";
import { SessionClosedError, type AgentSession } from "../../../src/entries/agent.ts";
import { deferred } from "../../../src/base/index.ts";
import { promptAgent } from "../definitions.ts";
import { errorOf, serve, opened } from "../harness.ts";

describe("a session", () => {
  it("fails a second prompt while the first is running, and the first continues", async () => {
    const gate = deferred();
    const { client, sessionId } = await opened(async (turn) => {
      await turn.say("working");
      await gate.promise;
    });
    const first = client.prompt(sessionId, "one");
    await client.waitFor("update agent_message_chunk");
    expect(await errorOf(client.prompt(sessionId, "two"))).toEqual({
      code: -32600,
      message: "The session is busy with another prompt; wait for it or cancel it first",
      data: { sessionId },
    });
    gate.resolve();
    expect(await first).toBe("end_turn");
    expect(await client.prompt(sessionId, "three")).toBe("end_turn");
  });

  it("runs its turn in parallel with other sessions", async () => {
    const gate = deferred();
    let running = 0;
    const { client } = await serve(async () => {
      if (++running === 2) gate.resolve();
      await gate.promise;
    });
    const [a, b] = [await client.newSession(), await client.newSession()];
    expect(a).not.toBe(b);
    expect(await Promise.all([client.prompt(a, "x"), client.prompt(b, "x")])).toEqual([
      "end_turn",
      "end_turn",
    ]);
  });
});

describe("a prompt while another turn runs", () => {
  /** An agent whose turns end only when their gate opens, even after a cancel. */
  function gated(whenBusy?: "throw" | "wait") {
    const gates: ReturnType<typeof deferred<void>>[] = [];
    const order: string[] = [];
    const definition = promptAgent(async (turn) => {
      order.push(`start ${turn.text}`);
      const gate = deferred();
      gates.push(gate);
      await turn.update({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: turn.text },
      });
      await gate.promise;
      order.push(`end ${turn.text}`);
    });
    return { definition: { ...definition, whenBusy }, gates, order };
  }

  it("waits for the end of the turn after a cancel", async () => {
    const { definition, gates, order } = gated();
    const { client, sessionId } = await opened(definition);
    const first = client.prompt(sessionId, "one");
    await client.waitFor("update agent_message_chunk");
    await client.peer.notify("session/cancel", { sessionId });
    const second = client.prompt(sessionId, "two");
    // A third one has an uncancelled prompt before it.
    expect(await errorOf(client.prompt(sessionId, "three"))).toMatchObject({ code: -32600 });
    gates[0]?.resolve();
    expect(await first).toBe("cancelled");
    await client.waitFor("update agent_message_chunk");
    gates[1]?.resolve();
    expect(await second).toBe("end_turn");
    expect(order).toEqual(["start one", "end one", "start two", "end two"]);
  });

  it("waits its turn if the agent wants that", async () => {
    const { definition, gates, order } = gated("wait");
    const { client, sessionId } = await opened(definition);
    const prompts = ["one", "two", "three"].map((text) => client.prompt(sessionId, text));
    for (const index of [0, 1, 2]) {
      await client.waitFor("update agent_message_chunk");
      expect(gates).toHaveLength(index + 1);
      gates[index]?.resolve();
      expect(await prompts[index]).toBe("end_turn");
    }
    expect(order).toEqual(["one", "two", "three"].flatMap((n) => [`start ${n}`, `end ${n}`]));
  });

  it("is cancelled with the running turn, at once and without being started", async () => {
    const { definition, gates, order } = gated("wait");
    const { client, sessionId } = await opened(definition);
    const first = client.prompt(sessionId, "one");
    const second = client.prompt(sessionId, "two");
    await client.waitFor("update agent_message_chunk");
    await client.peer.notify("session/cancel", { sessionId });
    expect(await second).toBe("cancelled");
    const third = client.prompt(sessionId, "three");
    gates[0]?.resolve();
    expect(await first).toBe("cancelled");
    await client.waitFor("update agent_message_chunk");
    gates[1]?.resolve();
    expect(await third).toBe("end_turn");
    expect(order).not.toContain("start two");
  });

  it("is refused if a hundred others wait", async () => {
    const { definition, gates } = gated("wait");
    const { client, sessionId } = await opened(definition);
    const waiting = Array.from({ length: 101 }, () => client.prompt(sessionId, "x"));
    expect(await errorOf(client.prompt(sessionId, "x"))).toMatchObject({
      code: -32600,
      message: "More than 100 prompts are waiting",
    });
    await client.waitFor("update agent_message_chunk");
    await client.peer.notify("session/cancel", { sessionId });
    // The answer to any request shows that the cancel has arrived.
    await errorOf(client.peer.call("_example/barrier"));
    gates[0]?.resolve();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["cancelled"]));
  });
});

describe("closing or deleting a session", () => {
  it("cancels the turn, waits for its end and then frees the session", async () => {
    const order: string[] = [];
    let handle: AgentSession<object> | undefined;
    const { client, sessionId } = await opened(
      promptAgent(
        async (turn) => {
          handle = turn.session;
          await turn.say("working");
          await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
          order.push("turn ended");
        },
        {
          closeSession: () => void order.push("closed"),
          deleteSession: () => void order.push("deleted"),
        },
      ),
    );
    const prompt = client.prompt(sessionId, "x");
    await client.waitFor("update agent_message_chunk");
    expect(await client.call("session/delete", { sessionId })).toEqual({});
    expect(await prompt).toBe("cancelled");
    expect(order).toEqual(["turn ended", "closed", "deleted"]);
    expect(await errorOf(client.prompt(sessionId, "x"))).toMatchObject({ code: -32002 });
    await expect(handle?.title("late")).rejects.toThrow(SessionClosedError);
    expect(await client.call("session/close", { sessionId })).toEqual({});
    expect(order).toHaveLength(3);
  });
});

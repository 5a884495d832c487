import { describe, expect, it } from "vitest";
import { SessionClosedError, type AgentSession } from "../../../src/entries/agent.ts";
import { deferred } from "../../../src/wire/index.ts";
import { promptAgent } from "../definitions.ts";
import { errorOf, serve } from "../harness.ts";

describe("a session", () => {
  it("fails a second prompt while the first is running, and the first continues", async () => {
    const gate = deferred();
    const { client } = await serve(
      promptAgent(async (turn) => {
        await turn.say("working");
        await gate.promise;
      }),
    );
    const sessionId = await client.newSession();
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
    const { client } = await serve(
      promptAgent(async () => {
        if (++running === 2) gate.resolve();
        await gate.promise;
      }),
    );
    const [a, b] = [await client.newSession(), await client.newSession()];
    expect(a).not.toBe(b);
    expect(await Promise.all([client.prompt(a, "x"), client.prompt(b, "x")])).toEqual([
      "end_turn",
      "end_turn",
    ]);
  });
});

describe("closing or deleting a session", () => {
  it("cancels the turn, waits for its end and then frees the session", async () => {
    const order: string[] = [];
    let handle: AgentSession<object> | undefined;
    const { client } = await serve(
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
    const sessionId = await client.newSession();
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

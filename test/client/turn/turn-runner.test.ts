import { describe, expect, it } from "vitest";
import { BusyError } from "../../../src/entries/dragoman.ts";
import { cancelled, deferred, endTurn, FakeAgent, openSession } from "../fake-agent.ts";

describe("a prompt during another turn", () => {
  it("throws by default, and waits with whenBusy", async () => {
    const finish = deferred();
    const agent = new FakeAgent({
      "session/prompt": async () => {
        await finish.promise;
        return endTurn;
      },
    });
    const { session } = await openSession(agent);
    const first = session.prompt("one");
    expect(() => session.prompt("two")).toThrow(BusyError);
    const second = session.prompt("two", { whenBusy: "wait" });
    const third = session.prompt("three", { whenBusy: "wait" });
    finish.resolve();
    await Promise.all([first.result, second.result, third.result]);
    const texts = agent.paramsOf("session/prompt").map(({ prompt }) => prompt);
    expect(texts).toEqual(["one", "two", "three"].map((text) => [{ type: "text", text }]));
  });

  it("waits if the client is configured so, and can be cancelled before it starts", async () => {
    const finish = deferred();
    const agent = new FakeAgent({
      "session/prompt": async () => {
        await finish.promise;
        return endTurn;
      },
    });
    const { session } = await openSession(agent, { whenBusy: "wait" });
    const first = session.prompt("one");
    const second = session.prompt("two");
    await second.cancel();
    expect(await second.result).toMatchObject(cancelled);
    expect(await second.text()).toBe("");
    finish.resolve();
    await first.result;
    expect(agent.paramsOf("session/prompt")).toHaveLength(1);
    expect(agent.paramsOf("session/cancel")).toEqual([]);
  });
});

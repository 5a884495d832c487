import { describe, expect, it } from "vitest";
import { connect, deferred, endTurn, FakeAgent } from "./fake-agent.ts";

const cwd = "/project";

describe("a turn", () => {
  it("hands over its updates in order and ends after the last", async () => {
    const agent = new FakeAgent({
      "session/prompt": async () => {
        for (const word of ["one ", "two ", "three"]) void agent.say("s1", word);
        return endTurn;
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    const turn = session.prompt("count");
    const seen: string[] = [];
    for await (const update of turn) seen.push(update.text);
    expect(seen).toEqual(["one ", "two ", "three"]);
    expect(await turn.result).toMatchObject(endTurn);
    expect(session.turnState).toBe("idle");
    await client.close();
  });

  it("collects its text", async () => {
    const agent = new FakeAgent({
      "session/prompt": () => {
        void agent.say("s1", "Hello, ");
        void agent.update("s1", { sessionUpdate: "plan", entries: [] });
        void agent.say("s1", "world");
        return endTurn;
      },
    });
    const client = await connect(agent);
    const session = await client.newSession({ cwd });
    expect(await session.prompt("hi").text()).toBe("Hello, world");
    await client.close();
    void deferred;
  });
});

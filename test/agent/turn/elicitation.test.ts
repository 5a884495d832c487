import { describe, expect, it } from "vitest";
import { promptAgent } from "../definitions.ts";
import { EVERYTHING, inTurn, serve, type Json } from "../harness.ts";

describe("an elicitation", () => {
  it("asks the user to fill in a form", async () => {
    let asked: Json | undefined;
    const { value } = await inTurn(
      (turn) =>
        turn.elicit({
          message: "m",
          schema: { properties: { a: { type: "string" } }, required: ["a"] },
        }),
      {
        "elicitation/create": (params) => {
          asked = params;
          return { action: "accept", content: { a: "b" } };
        },
      },
    );
    expect(value).toEqual({ action: "accept", content: { a: "b" } });
    expect(asked).toMatchObject({
      mode: "form",
      requestedSchema: { type: "object", required: ["a"] },
    });
  });

  it("asks the user to open a URL and reports when that is done", async () => {
    const { value, client } = await inTurn(
      async (turn) => {
        const answer = await turn.elicitUrl({ message: "m", url: "https://x.example" });
        await answer.complete();
        return answer.action;
      },
      { "elicitation/create": () => ({ action: "accept" }) },
    );
    expect(value).toBe("accept");
    expect(client.log).toEqual(["elicitation/create", "elicitation/complete"]);
  });

  it("resolves with the action cancel if the turn is cancelled", async () => {
    let answered: unknown;
    const { client } = await serve(
      promptAgent(async (turn) => {
        answered = await turn.elicit({ message: "m", schema: {} });
      }),
      { capabilities: EVERYTHING, answers: { "elicitation/create": () => new Promise(() => {}) } },
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.waitFor("elicitation/create");
    await client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
    expect(answered).toEqual({ action: "cancel" });
  });
});

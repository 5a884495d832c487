import { describe, expect, it } from "vitest";
import { optionsFor, toAnswer } from "../../../src/agent/turn/turn-scope.ts";
import { ProtocolViolation } from "../../../src/entries/agent.ts";
import { inTurn, type Json, EVERYTHING, opened } from "../harness.ts";

const choose = (optionId: string) => () => ({ outcome: { outcome: "selected", optionId } });

describe("a permission request", () => {
  it("follows its tool call and shows all its details", async () => {
    let asked: Json | undefined;
    const diff = { type: "diff", path: "/x", oldText: "a", newText: "b" } as const;
    const { client, value } = await inTurn(
      (turn) => turn.askPermission({ title: "Edit", kind: "edit", content: [diff] }),
      {
        "session/request_permission": (params) => {
          asked = params;
          return choose("allow_once")();
        },
      },
    );
    expect(value).toMatchObject({ allowed: true, outcome: "selected", optionId: "allow_once" });
    expect(asked).toMatchObject({
      toolCall: { title: "Edit", kind: "edit", content: [diff], status: "pending" },
      options: [{ kind: "allow_once" }, { kind: "reject_once" }],
    });
    expect(client.log).toEqual([
      "update tool_call",
      "session/request_permission",
      "update tool_call_update",
    ]);
    // The author did not settle the allowed call, so it completes with the turn.
    expect(client.updates.at(-1)).toMatchObject({ status: "completed" });
  });

  it("fails its tool call if the user rejects it", async () => {
    const { client, value } = await inTurn((turn) => turn.askPermission({ title: "Edit" }), {
      "session/request_permission": choose("reject_once"),
    });
    expect(value).toMatchObject({ allowed: false, outcome: "selected", optionId: "reject_once" });
    expect(client.updates.at(-1)).toMatchObject({ status: "failed" });
  });

  it("rejects if the answer is invalid", async () => {
    const { value } = await inTurn(
      (turn) => turn.askPermission({ title: "Edit" }).catch((error: unknown) => error),
      { "session/request_permission": () => ({ outcome: { outcome: "sure" } }) },
    );
    expect(value).toBeInstanceOf(ProtocolViolation);
  });

  it("offers one-time options by default, and the author's own options if given", () => {
    const kinds = (options: readonly { kind: string }[]) => options.map(({ kind }) => kind);
    expect(kinds(optionsFor({}))).toEqual(["allow_once", "reject_once"]);
    expect(kinds(optionsFor({ always: true }))).toEqual([
      "allow_once",
      "reject_once",
      "allow_always",
      "reject_always",
    ]);
    const own = [{ optionId: "x", name: "X", kind: "allow_always" }] as const;
    expect(optionsFor({ options: own })).toEqual(own);
  });

  it.each([
    ["allow_once", true, false],
    ["allow_always", true, true],
    ["reject_once", false, false],
    ["reject_always", false, true],
    ["never_offered", false, false],
  ])("understands the answer %s", (optionId, allowed, always) => {
    const options = optionsFor({ always: true });
    expect(toAnswer({ outcome: "selected", optionId }, options)).toEqual({
      allowed,
      always,
      outcome: "selected",
      optionId,
    });
  });
});

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
    const { client, sessionId } = await opened(
      async (turn) => {
        answered = await turn.elicit({ message: "m", schema: {} });
      },
      { capabilities: EVERYTHING, answers: { "elicitation/create": () => new Promise(() => {}) } },
    );
    expect(await client.promptAndCancel(sessionId, "elicitation/create")).toBe("cancelled");
    expect(answered).toEqual({ action: "cancel" });
  });
});

import { describe, expect, it } from "vitest";
import { TurnEndedError, type Turn } from "../../../src/entries/agent.ts";
import { inTurn, serve, type Json, opened } from "../harness.ts";

describe("a turn", () => {
  it("has the session, the prompt and the prompt's text", async () => {
    let given: Turn<object> | undefined;
    const { client, sessionId } = await opened(async (turn) => {
      given = turn;
    });
    const prompt = [
      { type: "text", text: "one" },
      { type: "resource_link", uri: "file:///x", name: "x" },
      { type: "text", text: "two" },
    ];
    expect(await client.call("session/prompt", { sessionId, prompt })).toEqual({
      stopReason: "end_turn",
    });
    expect(given?.session.id).toBe(sessionId);
    expect(given?.session.cwd).toBe(process.cwd());
    expect(given?.prompt).toEqual(prompt);
    expect(given?.text).toBe("one\ntwo");
  });

  it("sends all its updates before the answer, awaited or not", async () => {
    const { client, sessionId } = await opened(async (turn) => {
      for (let i = 0; i < 500; i++) void turn.say(`${i} `);
    });
    expect(await client.prompt(sessionId, "go")).toBe("end_turn");
    expect(client.updates).toHaveLength(500);
    expect(client.text()).toBe(Array.from({ length: 500 }, (_, i) => `${i} `).join(""));
  });

  it("gives all parts of a message the same id, and the next message another", async () => {
    const { client } = await serve(async (turn) => {
      await turn.say("a");
      await turn.say("b");
      await turn.think("c");
      await turn.say("d");
      await (await turn.toolCall({ title: "t" })).complete();
      await turn.say("e");
    });
    await client.prompt(await client.newSession(), "go");
    const ids = client.updates.flatMap((update) => update["messageId"] ?? []);
    expect(ids).toHaveLength(5);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(4);
  });

  it("cannot send after its end, while the session still can", async () => {
    let turn: Turn<object> | undefined;
    const { client, sessionId } = await opened(async (given) => {
      turn = given;
    });
    await client.prompt(sessionId, "x");
    await expect(turn?.say("late")).rejects.toThrow(TurnEndedError);
    await expect(turn?.readFile("/x")).rejects.toThrow(TurnEndedError);
    await turn?.session.usage({ used: 1, size: 2 });
    await turn?.session.commands([{ name: "x", description: "y" }]);
    await turn?.session.title(null);
    await client.waitFor("update session_info_update");
    expect(client.log).toEqual([
      "update usage_update",
      "update available_commands_update",
      "update session_info_update",
    ]);
  });

  it("reads and writes files through the client", async () => {
    const asked: Json[] = [];
    const { value, sessionId } = await inTurn(
      async (turn) => {
        await turn.writeFile("/w", "text");
        return [await turn.readFile("/r"), await turn.readFile("/r", { line: 2, limit: 1 })];
      },
      {
        "fs/write_text_file": (params) => {
          asked.push(params);
          return null;
        },
        "fs/read_text_file": (params) => {
          asked.push(params);
          return { content: "c" };
        },
      },
    );
    expect(value).toEqual(["c", "c"]);
    expect(asked).toEqual([
      { sessionId, path: "/w", content: "text" },
      { sessionId, path: "/r" },
      { sessionId, path: "/r", line: 2, limit: 1 },
    ]);
  });
});

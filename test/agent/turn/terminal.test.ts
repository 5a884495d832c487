import { describe, expect, it } from "vitest";
import { EVERYTHING, inTurn, type Answer, type Json, opened } from "../harness.ts";

describe("a terminal", () => {
  const answers: Record<string, Answer> = {
    "terminal/create": () => ({ terminalId: "t1" }),
    "terminal/output": () => ({ output: "out", truncated: false }),
    "terminal/wait_for_exit": () => ({ exitCode: 3 }),
    "terminal/kill": () => ({}),
    "terminal/release": () => ({}),
  };

  it("runs a command whose output and exit can be read, and which can be killed", async () => {
    let created: Json | undefined;
    const { value, client } = await inTurn(
      async (turn) => {
        const terminal = await turn.terminal({
          command: "make",
          args: ["all"],
          env: { A: "b" },
          cwd: "/x",
          outputByteLimit: 10,
        });
        expect(terminal.content).toEqual({ type: "terminal", terminalId: "t1" });
        await terminal.kill();
        const result = [await terminal.output(), await terminal.waitForExit()];
        await terminal.release();
        await terminal.release();
        return result;
      },
      {
        ...answers,
        "terminal/create": (params) => {
          created = params;
          return { terminalId: "t1" };
        },
      },
    );
    expect(created).toMatchObject({
      command: "make",
      args: ["all"],
      env: [{ name: "A", value: "b" }],
      cwd: "/x",
      outputByteLimit: 10,
    });
    expect(value).toEqual([
      { output: "out", truncated: false, exitStatus: undefined },
      { exitCode: 3, signal: null },
    ]);
    expect(client.log.filter((entry) => entry === "terminal/release")).toHaveLength(1);
  });

  it("is released before the turn's answer, even if the turn fails", async () => {
    const { client, sessionId } = await opened(
      async (turn) => {
        await turn.terminal({ command: "x" });
        if (turn.text === "fail") throw new Error("no");
      },
      {
        capabilities: EVERYTHING,
        answers: { ...answers, "terminal/release": () => new Promise(() => {}) },
      },
    );
    expect(await client.prompt(sessionId, "x")).toBe("end_turn");
    expect(client.log).toEqual(["terminal/create", "terminal/release"]);
    await client.prompt(sessionId, "fail").catch(() => {});
    expect(client.log.slice(2)).toEqual(["terminal/create", "terminal/release"]);
  });
});

// Terminals whose output the agent has already.
import { describe, expect, it } from "vitest";
import type { Turn } from "../../../src/entries/agent.ts";
import { inTurn } from "../harness.ts";
import { servedOnV2, openedOnV2 } from "./served.ts";

/** Reports a command whose output comes in two pieces that split a character. */
async function report(turn: Turn<object>): Promise<void> {
  const call = await turn.toolCall({ title: "Run" });
  await call.update({ content: [{ type: "content", content: { type: "text", text: "first" } }] });
  const terminal = await call.reportTerminal({ command: "make", terminalId: "t" });
  const bytes = new TextEncoder().encode("✓ done");
  await terminal.write(bytes.subarray(0, 1));
  await terminal.write(bytes.subarray(1));
  await terminal.exit({ exitCode: 0 });
  await terminal.exit({ exitCode: 1 });
  await call.complete();
}

describe("a reported terminal", () => {
  it("is a terminal of the agent on v2", async () => {
    const client = await servedOnV2(report);
    const from = client.frames.length;
    await client.prompt(await client.newSession(), "x");
    expect(client.ofKind("terminal_update", from)).toEqual([
      {
        sessionUpdate: "terminal_update",
        terminalId: "t",
        command: "make",
        cwd: process.cwd(),
      },
      {
        sessionUpdate: "terminal_update",
        terminalId: "t",
        exitStatus: { exitCode: 0 },
        capabilities: null,
      },
    ]);
    expect(client.output("t")).toBe("✓ done");
    expect(client.ofKind("tool_call_update", from)[2]).toMatchObject({
      content: [{ type: "content" }, { type: "terminal", terminalId: "t" }],
    });
  });

  it("is text in its tool call on v1", async () => {
    const { client } = await inTurn(report);
    const contents = client.ofKind("tool_call_update").flatMap(({ content }) => [content]);
    expect(contents.at(-2)).toEqual([
      { type: "content", content: { type: "text", text: "first" } },
      { type: "content", content: { type: "text", text: "✓ done" } },
    ]);
  });

  it("sends its text on v1 whenever it doubled, so that the traffic stays linear", async () => {
    const { client } = await inTurn(async (turn) => {
      const call = await turn.toolCall({ title: "Run" });
      const terminal = await call.reportTerminal({ command: "yes" });
      for (let i = 0; i < 2000; i++) await terminal.write("yes yes yes yes\n");
      await terminal.exit();
    });
    expect(client.ofKind("tool_call_update").length).toBeLessThan(15);
  });

  it("can replace its output, and ends with the turn", async () => {
    const client = await servedOnV2(async (turn) => {
      const terminal = await turn.reportTerminal({ command: "tail", terminalId: "t" });
      expect(terminal.content).toEqual({ type: "terminal", terminalId: "t" });
      await terminal.write("the last lines");
      await terminal.replace("everything");
    });
    await client.prompt(await client.newSession(), "x");
    expect(client.output("t")).toBe("everything");
    expect(client.ofKind("terminal_update").at(-1)).toMatchObject({ exitStatus: {} });
  });

  it("can be cancelled by the client, and go on in the background", async () => {
    const { client, sessionId } = await openedOnV2(async (turn) => {
      const start = { command: "serve", terminalId: "t", background: true, canCancel: true };
      const terminal = await turn.reportTerminal(start);
      terminal.signal.addEventListener("abort", () => void terminal.exit({ signal: "SIGTERM" }));
    });
    const background = [{ type: "terminal", terminalId: "t" }];
    expect(await client.prompt(sessionId, "x")).toMatchObject({ background });
    const from = client.frames.length;
    await client.call("terminal/cancel", { sessionId, terminalId: "t" });
    expect(await client.idle(from)).toMatchObject({ background: [] });
    expect(client.updates(from)[0]).toMatchObject({ exitStatus: { signal: "SIGTERM" } });
  });
});

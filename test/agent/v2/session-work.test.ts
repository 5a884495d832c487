import { once } from "node:events";
import { describe, expect, it } from "vitest";
import {
  type AgentSession,
  RpcError,
  SessionClosedError,
  type ToolCallHandle,
  type Turn,
} from "../../../src/entries/agent.ts";
import { deferred } from "../../../src/base/index.ts";
import { codeOf } from "../../support/sdk-v2-client.ts";
import { promptAgent } from "../definitions.ts";
import { inTurn, opened, serve } from "../harness.ts";
import { openedOnV2, servedOnV2 } from "./served.ts";

// Work beyond turns: in the background, started by the agent itself, and cancelled piece by piece.

describe("a tool call in the background", () => {
  it("is announced, then listed with every state, and ended before it is dropped", async () => {
    const opened = deferred<ToolCallHandle>();
    const { client, sessionId, from } = await openedOnV2(async (turn) => {
      opened.resolve(await turn.toolCall({ title: "Watch", toolCallId: "w", background: true }));
    });
    await client.prompt(sessionId, "x");
    const background = [{ type: "tool_call", toolCallId: "w" }];
    expect(client.updates(from).slice(1)).toMatchObject([
      { state: "running" },
      { sessionUpdate: "tool_call_update", status: "in_progress" },
      { state: "running", background },
      { state: "idle", stopReason: "end_turn", background },
    ]);
    const after = client.frames.length;
    const call = await opened.promise;
    await call.update({ title: "Still watching" });
    await call.complete();
    await client.idle(after);
    expect(client.updates(after)).toMatchObject([
      { title: "Still watching" },
      { status: "completed" },
      { state: "idle", background: [] },
    ]);
  });

  it("survives a cancel, and its question does not block the turn", async () => {
    const opened = deferred<ToolCallHandle>();
    const { client, sessionId, from } = await openedOnV2(async (turn) => {
      const call = await turn.toolCall({ title: "Watch", background: true });
      opened.resolve(call);
      const { allowed } = await call.askPermission();
      expect(allowed).toBe(true);
      if (!turn.signal.aborted) await once(turn.signal, "abort");
    });
    await client.send(sessionId, "x");
    await opened.promise;
    await client.cancel(sessionId);
    await client.idle(from);
    expect(client.log(from)).not.toContain("requires_action");
    expect((await opened.promise).settled).toBe(false);
  });

  it("goes on after the turn on v1 too, where it is not listed", async () => {
    const opened = deferred<ToolCallHandle>();
    const { client } = await serve(async (turn) => {
      opened.resolve(await turn.toolCall({ title: "Watch", background: true, canCancel: true }));
    });
    expect(await client.prompt(await client.newSession(), "x")).toBe("end_turn");
    expect(client.log).toEqual(["update tool_call"]);
    const call = await opened.promise;
    await call.cancel();
    await client.waitFor("update tool_call_update");
    expect(client.updates.at(-1)).toMatchObject({ status: "failed" });
  });
});

describe("a tool call that the client may cancel", () => {
  it("says so until it is over, and aborts its signal", async () => {
    const { client, sessionId } = await openedOnV2(async (turn) => {
      const call = await turn.toolCall({ title: "Search", toolCallId: "s", canCancel: true });
      await once(call.signal, "abort");
      await call.cancel({ rawOutput: "partial" });
      await turn.say(turn.signal.aborted ? "aborted" : "on we go");
    });
    await client.send(sessionId, "x");
    const item = { sessionId, toolCallId: "s" };
    await client.update(({ toolCallId }) => toolCallId === "s");
    expect(await client.call("tool_call/cancel", item)).toEqual({});
    expect((await client.idle())["stopReason"]).toBe("end_turn");
    expect(client.ofKind("tool_call_update")).toMatchObject([
      { capabilities: { cancel: {} } },
      { status: "cancelled", rawOutput: "partial", capabilities: null },
    ]);
    expect(client.text()).toBe("on we go");
    expect(await codeOf(client.call("tool_call/cancel", item))).toBe(-32602);
  });

  it("is settled as cancelled if the author leaves it open", async () => {
    const { client, sessionId } = await openedOnV2(async (turn) => {
      const call = await turn.toolCall({ title: "Search", toolCallId: "s", canCancel: true });
      await once(call.signal, "abort");
    });
    await client.send(sessionId, "x");
    await client.update(({ toolCallId }) => toolCallId === "s");
    await client.call("tool_call/cancel", { sessionId, toolCallId: "s" });
    await client.idle();
    expect(client.ofKind("tool_call_update").at(-1)).toMatchObject({ status: "cancelled" });
  });

  it("must say so", async () => {
    const { client, sessionId } = await openedOnV2(async (turn) => {
      await turn.toolCall({ title: "Search", toolCallId: "s" });
      await once(turn.signal, "abort");
    });
    await client.send(sessionId, "x");
    await client.update(({ toolCallId }) => toolCallId === "s");
    const params = { sessionId, toolCallId: "s" };
    expect(await codeOf(client.call("tool_call/cancel", params))).toBe(-32602);
  });
});

/** An agent that hands out its sessions. */
function withSessions() {
  const opened = deferred<AgentSession<object>>();
  const definition = promptAgent(async (turn) => turn.say(turn.text), {
    sessionOpened: (session) => opened.resolve(session),
  });
  return { definition, whenOpened: opened.promise };
}

describe("work that the agent starts by itself", () => {
  it("runs between prompts, and ends with its stop reason", async () => {
    const { definition, whenOpened } = withSessions();
    const client = await servedOnV2(definition);
    await client.newSession();
    const from = client.frames.length;
    const session = await whenOpened;
    const reason = await session.work(async (work) => {
      const call = await work.toolCall({ title: "Look" });
      await call.complete();
      await work.say("Done.");
      return "max_tokens";
    });
    expect(reason).toBe("max_tokens");
    await client.idle(from);
    expect(client.log(from)).toEqual([
      "running",
      "tool_call_update",
      "tool_call_update",
      "agent_message_chunk",
      "idle max_tokens",
    ]);
  });

  it("ends with the error that it throws, and the session goes on", async () => {
    const { definition, whenOpened } = withSessions();
    const { client, sessionId, from } = await openedOnV2(definition);
    const failing = (await whenOpened).work(async () => {
      throw new RpcError(-32050, "no luck");
    });
    await expect(failing).rejects.toThrow("no luck");
    expect(await client.idle(from)).toMatchObject({ stopReason: "error", error: { code: -32050 } });
    expect((await client.prompt(sessionId, "x"))["stopReason"]).toBe("end_turn");
  });

  it("holds prompts, and is cancelled like a turn", async () => {
    const { definition, whenOpened } = withSessions();
    const { client, sessionId, from } = await openedOnV2(definition);
    const session = await whenOpened;
    const working = session.work(async ({ signal }) => void (await once(signal, "abort")));
    const held = codeOf(client.send(sessionId, "held"));
    await client.cancel(sessionId);
    expect(await working).toBe("cancelled");
    expect(await held).toBe(-32800);
    expect((await client.idle(from))["stopReason"]).toBe("cancelled");
  });

  it("ends before the answer to a close, and cannot start after it", async () => {
    const { definition, whenOpened } = withSessions();
    const { client, sessionId } = await openedOnV2(definition);
    const session = await whenOpened;
    const working = session.work(async ({ signal }) => void (await once(signal, "abort")));
    const from = client.frames.length;
    await client.call("session/close", { sessionId });
    expect(await working).toBe("cancelled");
    expect(client.log(from).slice(-2)).toEqual(["idle cancelled", "result"]);
    await expect(session.work(async () => {})).rejects.toBeInstanceOf(SessionClosedError);
  });

  it("sends its updates outside of a turn on v1, and prompts wait for it", async () => {
    const { definition, whenOpened } = withSessions();
    const { client, sessionId } = await opened(definition);
    const gate = deferred();
    const working = (await whenOpened).work(async (work) => {
      await gate.promise;
      await work.say("by myself, ");
    });
    const prompted = client.prompt(sessionId, "on request");
    gate.resolve();
    expect(await working).toBe("end_turn");
    expect(await prompted).toBe("end_turn");
    expect(client.text()).toBe("by myself, on request");
  });
});

// Terminals whose output the agent has already.

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

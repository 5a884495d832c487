// Cancelling, queueing, resuming and background work, with an agent on the SDK's support for v2.
import * as sdk from "@agentclientprotocol/sdk/experimental/v2";
import { describe, expect, it } from "vitest";
import { CapabilityError, type SessionEvent } from "../../src/entries/dragoman.ts";
import { isAnyUpdate } from "../../src/entries/unstable.ts";
import { deferred } from "../../src/base/index.ts";
import { type AgentScript, cwd, type SdkTurn, start, until } from "./sdk-v2-agent.ts";

const never = (): Promise<never> => new Promise(() => {});

const tool = { sessionUpdate: "tool_call_update", toolCallId: "call", title: "Run it" } as const;
const aboutTool = { subject: { type: "tool_call", toolCall: { toolCallId: "call" } } } as const;

function stateOf(event: SessionEvent) {
  return isAnyUpdate(event) && event.type === "state_update" ? event : undefined;
}

describe("a cancel", () => {
  it("before the prompt is part of the conversation withdraws it", async () => {
    const { session } = await start(async (turn, agent) => {
      await agent.cancelled();
      turn.refuse(sdk.RequestError.requestCancelled());
    });
    const turn = session.prompt("go");
    await turn.cancel();
    await expect(turn.result).resolves.toMatchObject({ stopReason: "cancelled" });
  });

  it("while the agent works ends the turn with the agent's idle state", async () => {
    const { session } = await start(async (turn, agent) => {
      await turn.begin();
      await turn.update({ ...tool, status: "in_progress" });
      await agent.cancelled();
      await turn.update({ ...tool, status: "cancelled" });
      await turn.idle("cancelled");
    });
    const turn = session.prompt("go");
    await until(session, () => session.toolCalls.has("call"));
    await turn.cancel();
    await expect(turn.result).resolves.toMatchObject({ stopReason: "cancelled" });
    expect(session.toolCalls.get("call")?.status).toBe("cancelled");
  });

  it("during a question answers it as cancelled", async () => {
    const asking = deferred();
    const outcomes: unknown[] = [];
    const { session } = await start(
      async (turn) => {
        await turn.begin();
        await turn.update({ ...tool, status: "pending" });
        await turn.state("requires_action");
        outcomes.push((await turn.ask(aboutTool)).outcome);
        await turn.idle("cancelled");
      },
      {
        permissions: () => {
          asking.resolve();
          return never();
        },
      },
    );
    const turn = session.prompt("go");
    await asking.promise;
    expect(session.activity).toBe("requires_action");
    await turn.cancel();
    await expect(turn.result).resolves.toMatchObject({ stopReason: "cancelled" });
    expect(outcomes).toEqual([{ outcome: "cancelled" }]);
  });

  it("leaves a question about background work open", async () => {
    const asking = deferred();
    const decision = deferred<"allow">();
    const answered = deferred<unknown>();
    const background = [{ type: "tool_call", toolCallId: "call" }];
    const { session } = await start(
      async (turn, agent) => {
        await turn.insert();
        await turn.update({ ...tool, status: "in_progress" });
        await turn.state("running", { background });
        void turn.ask(aboutTool).then(({ outcome }) => answered.resolve(outcome));
        await agent.cancelled();
        await turn.idle("cancelled", { background });
      },
      {
        permissions: () => {
          asking.resolve();
          return decision.promise;
        },
      },
    );
    const turn = session.prompt("go");
    await asking.promise;
    await turn.cancel();
    await expect(turn.result).resolves.toMatchObject({ stopReason: "cancelled" });
    expect(session.background).toEqual(background);
    decision.resolve("allow");
    await expect(answered.promise).resolves.toEqual({ outcome: "selected", optionId: "yes" });
  });

  it("lets the agent withdraw its question", async () => {
    const asking = deferred();
    const withdrawn = deferred();
    const { session } = await start(
      async (turn) => {
        await turn.begin();
        const stop = new AbortController();
        const asked = turn.ask(aboutTool, { cancellationSignal: stop.signal }).catch(() => {});
        await asking.promise;
        stop.abort();
        await asked;
        await turn.idle();
      },
      {
        permissions: ({ signal }) => {
          asking.resolve();
          signal.addEventListener("abort", () => withdrawn.resolve());
          return never();
        },
      },
    );
    await expect(session.prompt("go").result).resolves.toMatchObject({ stopReason: "end_turn" });
    await withdrawn.promise;
  });

  it("also ends the prompts that the agent holds", async () => {
    const held: SdkTurn[] = [];
    const isHeld = deferred();
    const { session } = await start(async (turn, agent) => {
      if (agent.turns.length > 1) {
        held.push(turn);
        isHeld.resolve();
        return;
      }
      await turn.begin();
      await agent.cancelled();
      for (const other of held) other.refuse(sdk.RequestError.requestCancelled());
      await turn.idle("cancelled");
    });
    const turns = [session.prompt("one"), session.prompt("two", { whenBusy: "send" })];
    await isHeld.promise;
    await turns[0]?.cancel();
    const results = await Promise.all(turns.map((turn) => turn.result));
    expect(results.map(({ stopReason }) => stopReason)).toEqual(["cancelled", "cancelled"]);
  });

  it("of a held prompt withdraws only that one", async () => {
    const mayEnd = deferred();
    const isHeld = deferred();
    const { agent, session } = await start(async (turn, sdkAgent) => {
      if (sdkAgent.turns.length > 1) return isHeld.resolve();
      await turn.begin();
      await mayEnd.promise;
      await turn.idle();
    });
    const first = session.prompt("one");
    const second = session.prompt("two", { whenBusy: "send" });
    await isHeld.promise;
    await second.cancel();
    await expect(second.result).resolves.toMatchObject({ stopReason: "cancelled" });
    mayEnd.resolve();
    await expect(first.result).resolves.toMatchObject({ stopReason: "end_turn" });
    expect(agent.received).not.toContain("session/cancel");
  });

  it("of one tool call or terminal needs the agent's offer", async () => {
    const mayEnd = deferred();
    const { agent, session } = await start({
      prompt: async (turn) => {
        await turn.begin();
        const capabilities = { cancel: {} };
        await turn.update({ ...tool, status: "in_progress", capabilities });
        const terminal = { sessionUpdate: "terminal_update", terminalId: "t" } as const;
        await turn.update({ ...terminal, command: "sleep 100", capabilities });
        await mayEnd.promise;
        await turn.idle();
      },
      cancelToolCall: async (toolCallId, { turns }) => {
        await turns[0]?.update({ ...tool, toolCallId, status: "cancelled" });
      },
      cancelTerminal: async (terminalId, { turns }) => {
        const exitStatus = { signal: "SIGTERM" };
        await turns[0]?.update({ sessionUpdate: "terminal_update", terminalId, exitStatus });
      },
    });
    const turn = session.prompt("go");
    await expect(session.cancelToolCall("other")).rejects.toBeInstanceOf(CapabilityError);
    await until(session, () => session.terminals.get("t")?.canCancel === true);
    await session.cancelToolCall("call");
    await session.cancelTerminal("t");
    expect(session.toolCalls.get("call")).toMatchObject({ status: "cancelled" });
    expect(session.terminals.get("t")).toMatchObject({
      exit: { signal: "SIGTERM" },
      canCancel: false,
    });
    await expect(session.cancelToolCall("call")).rejects.toBeInstanceOf(CapabilityError);
    await expect(session.cancelTerminal("t")).rejects.toBeInstanceOf(CapabilityError);
    mayEnd.resolve();
    await turn.result;
    expect(agent.received).not.toContain("session/cancel");
  });
});

describe("prompts while the agent works", () => {
  it("steer it, if the agent takes them at once: one idle state ends both", async () => {
    const steered = deferred();
    const { session } = await start(async (turn, agent) => {
      await turn.insert();
      if (agent.turns.length > 1) return steered.resolve();
      await turn.state("running");
      await turn.say("working ");
      await steered.promise;
      await turn.say("steered");
      await turn.idle();
    });
    const first = session.prompt("one");
    const text = first.text();
    await until(session, () => session.activity === "running");
    const second = session.prompt("two", { whenBusy: "send" });
    await expect(text).resolves.toBe("working steered");
    const results = await Promise.all([first.result, second.result]);
    expect(results.map(({ stopReason }) => stopReason)).toEqual(["end_turn", "end_turn"]);
  });

  it("wait in the agent, if it holds them", async () => {
    const firstIsOver = deferred();
    const { session } = await start(async (turn, agent) => {
      if (agent.turns.length > 1) await firstIsOver.promise;
      await turn.begin();
      await turn.say(`answer to ${turn.text}`);
      await turn.idle();
      if (turn.text === "one") firstIsOver.resolve();
    });
    const turns = ["one", "two"].map((text) => session.prompt(text, { whenBusy: "send" }));
    const texts = await Promise.all(turns.map((turn) => turn.text()));
    expect(texts).toEqual(["answer to one", "answer to two"]);
  });

  it("wait in the client with whenBusy: wait", async () => {
    const { agent, session } = await start(
      async (turn, sdkAgent) => {
        await turn.begin();
        await turn.say(`${sdkAgent.turns.length}`);
        await turn.idle();
      },
      { whenBusy: "wait" },
    );
    const turns = ["one", "two", "three"].map((text) => session.prompt(text));
    await expect(Promise.all(turns.map((turn) => turn.text()))).resolves.toEqual(["1", "2", "3"]);
    expect(agent.turns.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  });
});

describe("work without a prompt", () => {
  it("goes on in the background after the turn, and the agent may start by itself", async () => {
    const background = [{ type: "terminal", terminalId: "t" }];
    const { session } = await start(async (turn) => {
      await turn.begin();
      const terminal = { sessionUpdate: "terminal_update", terminalId: "t" } as const;
      await turn.update({ ...terminal, command: "npm run dev" });
      await turn.idle("end_turn", { background });
      await turn.state("running", { background });
      await turn.say("The server is up.", "by itself");
      await turn.update({ ...terminal, exitStatus: {} });
      await turn.idle("end_turn", { background: [] });
    });
    const events: string[] = [];
    const updates = session.updates();
    const turn = session.prompt("go");
    await expect(turn.text()).resolves.toBe("");
    for await (const event of updates) {
      const state = stateOf(event);
      events.push(state?.activity ?? (event.text || event.type));
      if (state?.background?.length === 0) break;
    }
    expect(events).toEqual([
      "turn_started",
      "user_message",
      "running",
      "terminal_update",
      "idle",
      "turn_ended",
      "running",
      "The server is up.",
      "terminal_update",
      "idle",
    ]);
    expect(session.terminals.get("t")?.exit).toEqual({ code: undefined, signal: undefined });
  });
});

function textOf(block: { readonly type: string } | undefined): unknown {
  return block && "text" in block ? block.text : undefined;
}

describe("a stored session", () => {
  const script: AgentScript = {
    prompt: async (turn) => {
      await turn.begin();
      await turn.say("on");
      await turn.idle();
    },
    resume: async ({ replayFrom }, update) => {
      const text = (value: string) => [{ type: "text" as const, text: value }];
      if (replayFrom) {
        await update({ sessionUpdate: "user_message", messageId: "u", content: text("Hi") });
        await update({ sessionUpdate: "agent_message", messageId: "a", content: [] });
        const content = { type: "text" as const, text: "Hello" };
        await update({ sessionUpdate: "agent_message_chunk", messageId: "a", content });
      }
      await update({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
    },
  };

  it("is loaded with its history", async () => {
    const { client } = await start(script);
    const replayed: string[] = [];
    const session = await client.loadSession({
      sessionId: "old",
      cwd,
      onReplay: (update) => {
        if (update.type === "user_message_chunk")
          replayed.push(`user ${String(textOf(update.content))}`);
        if (update.type === "agent_message_chunk") replayed.push(`agent ${update.text}`);
      },
    });
    expect(replayed).toEqual(["user Hi", "agent Hello"]);
    expect(session.activity).toBe("idle");
    await expect(session.prompt("go").text()).resolves.toBe("on");
  });

  it("is resumed without it", async () => {
    const { client } = await start(script);
    const session = await client.resumeSession({ sessionId: "old", cwd });
    expect(session.activity).toBe("idle");
    await expect(session.prompt("go").text()).resolves.toBe("on");
  });
});

describe("config options", () => {
  const mode = (currentValue: string): sdk.SessionConfigOption => ({
    configId: "approval",
    name: "Approval",
    category: "mode",
    type: "select",
    currentValue,
    options: [
      { value: "ask", name: "Ask" },
      { value: "code", name: "Code" },
    ],
  });
  const web = (currentValue: boolean): sdk.SessionConfigOption => ({
    configId: "web",
    name: "Web",
    type: "boolean",
    currentValue,
  });

  it("are set with their type, and the one for the mode also as a mode", async () => {
    const set: unknown[] = [];
    let current: sdk.SessionConfigOption[] = [mode("ask"), web(false)];
    const { session } = await start({
      configOptions: current,
      setConfigOption: (params) => {
        set.push(params);
        current =
          typeof params.value === "boolean"
            ? [current[0] ?? mode("ask"), web(params.value)]
            : [mode(String(params.value)), current[1] ?? web(false)];
        return current;
      },
    });
    expect(session.modes?.currentModeId).toBe("ask");
    expect(session.modes?.availableModes.map(({ id }) => id)).toEqual(["ask", "code"]);
    await session.setConfigOption("web", true);
    await session.setMode("code");
    expect(set).toEqual([
      { sessionId: "s1", configId: "web", type: "boolean", value: true },
      { sessionId: "s1", configId: "approval", type: "id", value: "code" },
    ]);
    expect(session.modes?.currentModeId).toBe("code");
    expect(session.configOptions?.map(({ currentValue }) => currentValue)).toEqual(["code", true]);
    await session.setConfigOption("approval", "ask");
    expect(session.modes?.currentModeId).toBe("ask");
  });
});

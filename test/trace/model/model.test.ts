import { describe, expect, it } from "vitest";
import {
  itemRows,
  itemText,
  sessionDetails,
  terminalDetails,
  toolCallState,
} from "../../../src/trace/model/details.ts";
import { modelOfEntries, modelOfFile, Script } from "../../apps/inspector/sessions.ts";

describe("requests and responses", () => {
  it("are paired by direction and id, so both sides may use the same id", () => {
    const { frames } = new Script().open().prompt(7).ask(7, "t").choose(7, "once").done(7).model;
    expect(frames.pair(4)).toBe(7);
    expect(frames.pair(5)).toBe(6);
    expect(frames.method(6)).toBe("session/request_permission");
    expect(frames.method(7)).toBe("session/prompt");
  });

  it('with the id 1 and the id "1" are different', () => {
    const { frames, openRequests } = new Script()
      .out({ id: 1, method: "a" })
      .out({ id: "1", method: "b" })
      .wait(20)
      .in({ id: "1", result: {} }).model;
    expect(frames.pair(1)).toBe(2);
    expect(frames.latency(1)).toBe(20);
    expect(frames.latency(0)).toBeUndefined();
    expect(openRequests).toEqual([0]);
  });

  it("without a request or a second time stay unpaired", () => {
    const { frames } = new Script()
      .out({ id: 1, method: "a" })
      .in({ id: 1, result: {} })
      .in({ id: 1, error: { code: 1, message: "again" } })
      .in({ id: 9, result: {} }).model;
    expect([0, 1, 2, 3].map((row) => frames.pair(row))).toEqual([1, 0, -1, -1]);
    expect(frames.kind(2)).toBe("error");
  });

  it("of different connections do not meet", () => {
    const line = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });
    const { frames, lanes } = modelOfEntries([
      { ms: 0, direction: "out", line: line({ id: 1, method: "a" }), lane: "one" },
      { ms: 0, direction: "in", line: line({ id: 1, result: {} }), lane: "two" },
    ]);
    expect(frames.pair(0)).toBe(-1);
    expect(lanes.map(({ name }) => name)).toEqual(["one", "two"]);
  });

  it.each([
    ["not JSON", "noise"],
    ["[]", "batch"],
    ["12", "other"],
    ['{"jsonrpc":"2.0"}', "other"],
    ['{"jsonrpc":"2.0","id":null,"method":"m"}', "request"],
    ['progress {"jsonrpc":"2.0","method":"m"}', "notification"],
  ])("%s is %s, and the line stays as it is", (line, kind) => {
    const { frames } = modelOfEntries([{ ms: 0, direction: "in", line }]);
    expect(frames.kind(0)).toBe(kind);
    expect(frames.line(0)).toBe(line);
  });
});

describe("sessions and turns", () => {
  it("begin with the prompt and end with its response", () => {
    const script = new Script().open().wait(10).prompt(2).wait(30).say("a").wait(10).done(2);
    const { sessions, turns, frames } = script.update("usage_update", { used: 1, size: 2 }).model;
    expect(sessions).toMatchObject([{ id: "s", opened: 2, turns: [0], firstFrame: 2 }]);
    expect(turns).toMatchObject([
      {
        prompt: 4,
        end: 6,
        startMs: 10,
        endMs: 50,
        stopReason: "end_turn",
        firstUpdate: 5,
        frames: 3,
      },
    ]);
    expect(turns[0]?.silence).toEqual({ ms: 30, after: 4 });
    // Traffic after the end belongs to no turn.
    expect([3, 4, 5, 6, 7].map((row) => frames.turn(row))).toEqual([-1, 0, 0, 0, -1]);
    expect([0, 2, 3, 4, 5, 6, 7].map((row) => frames.session(row))).toEqual([-1, 0, 0, 0, 0, 0, 0]);
  });

  it("have the folder that they were opened in and their last title", () => {
    const script = new Script().open().update("session_info_update", { title: "One" });
    const { model } = script.update("session_info_update", { title: "Two" });
    const [session] = model.sessions;
    expect(session && sessionDetails(model, session)).toEqual({
      id: "s",
      cwd: "/project",
      title: "Two",
    });
  });

  it("end with an error, and say so", () => {
    const error = { code: -32603, message: "broken" };
    expect(new Script().open().prompt(2).in({ id: 2, error }).model.turns).toMatchObject([
      { error, stopReason: undefined, end: 5 },
    ]);
  });

  it("stay open while there is no response", () => {
    const { turns } = new Script().open().prompt(2).say("a").model;
    expect(turns).toMatchObject([{ end: -1, endMs: undefined }]);
  });

  it("remember the first cancel", () => {
    const cancel = { method: "session/cancel", params: { sessionId: "s" } };
    const { turns } = new Script()
      .open()
      .prompt(2)
      .out(cancel)
      .out(cancel)
      .done(2, "cancelled").model;
    expect(turns).toMatchObject([{ cancel: 5, stopReason: "cancelled" }]);
  });

  it("of v2 end when the agent is idle, not with the response", () => {
    const { turns } = new Script()
      .open(2)
      .prompt(2)
      .in({ id: 2, result: { messageId: "u1" } })
      .update("state_update", { state: "running" })
      .say("a", "m")
      .update("state_update", { state: "idle", stopReason: "end_turn" }).model;
    expect(turns).toMatchObject([{ end: 8, stopReason: "end_turn", frames: 5 }]);
  });

  it("have the tokens that the agent reports", () => {
    const usage = { totalTokens: 12, inputTokens: 10, outputTokens: 2 };
    const { turns } = new Script()
      .open()
      .prompt(2)
      .in({ id: 2, result: { stopReason: "end_turn", usage } }).model;
    expect(turns[0]?.tokens).toMatchObject({ total: 12, input: 10, output: 2 });
  });

  it.each([
    ["plain-turn", ["end_turn"]],
    ["error", ["error", undefined, undefined]],
    ["cancel-during-permission", ["cancelled"]],
    ["real-claude-0.99.1-tools", ["end_turn"]],
    ["real-codex-2.6.0-tools", ["end_turn"]],
  ])("of the v2 capture %s end as the agent said", (name, reasons) => {
    const { turns, lanes } = modelOfFile(`acp-v2/${name}.jsonl`);
    expect(turns.map(({ stopReason }) => stopReason)).toEqual(reasons);
    expect(lanes[0]?.protocolVersion).toBe(2);
  });
});

describe("tool calls", () => {
  const script = () => new Script().open().prompt(2);

  it("are put together from all their frames", () => {
    const text = (words: string) => [{ type: "content", content: { type: "text", text: words } }];
    const model = script()
      .update("tool_call", { toolCallId: "t", title: "Edit", kind: "edit", status: "pending" })
      .wait(10)
      .update("tool_call_update", { toolCallId: "t", status: "in_progress", content: text("a") })
      .wait(20)
      .update("tool_call_update", { toolCallId: "t", status: "completed", content: text("b") })
      .done(2).model;
    const [call] = model.toolCalls;
    expect(call).toMatchObject({
      title: "Edit",
      kind: "edit",
      status: "completed",
      startMs: 0,
      endMs: 30,
      frames: [5, 6, 7],
      oddities: [],
    });
    expect(call?.steps.map(({ status, ms }) => [status, ms])).toEqual([
      ["pending", 0],
      ["in_progress", 10],
      ["completed", 30],
    ]);
    expect(call && toolCallState(model, call)?.content).toEqual(text("b"));
    expect(call && toolCallState(model, call, 6)?.content).toEqual(text("a"));
    expect(model.turns[0]?.tools).toEqual([0]);
    expect(model.frames.tool(6)).toBe(0);
  });

  it("may come in any order, which is noted", () => {
    const { toolCalls } = script()
      .update("tool_call_update", { toolCallId: "a" })
      .update("tool_call", { toolCallId: "b" })
      .update("tool_call", { toolCallId: "b" })
      .ask(5, "c").model;
    expect(toolCalls.map(({ id, oddities }) => [id, oddities])).toEqual([
      ["a", ["update_before_call"]],
      ["b", ["announced_twice"]],
      ["c", ["asked_before_call"]],
    ]);
  });

  it("of v2 are all updates, which is normal", () => {
    const { toolCalls } = new Script()
      .open(2)
      .prompt(2)
      .update("tool_call_update", { toolCallId: "a", title: "A" }).model;
    expect(toolCalls).toMatchObject([{ title: "A", oddities: [] }]);
  });
});

describe("permissions", () => {
  const call = (status: string) => ({ toolCallId: "t", title: "Run", status });
  const script = () => new Script().open().prompt(2).update("tool_call", call("pending"));
  const decision = { what: "run ls", outcome: "denied", by: "flag", hint: "--exec" } as const;

  it("have options, answer, waiting time and the reason of the decision", () => {
    const { permissions, decisions, toolCalls } = script()
      .ask(5, "t")
      .wait(40)
      .event({ ms: 30, event: "permission", ...decision, toolCallId: "t" })
      .choose(5, "no").model;
    expect(permissions).toMatchObject([
      {
        tool: 0,
        outcome: "selected",
        optionId: "no",
        askedMs: 0,
        answeredMs: 40,
        flags: [],
        decision,
      },
    ]);
    expect(permissions[0]?.options.map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "reject_once",
    ]);
    expect(decisions).toMatchObject([{ permission: 0, ms: 30 }]);
    expect(toolCalls[0]?.permissions).toEqual([0]);
  });

  it("do not take the decision about another request", () => {
    const { permissions, decisions } = script()
      .ask(5, "t")
      .event({ ms: 0, event: "permission", ...decision })
      .event({ ms: 0, event: "permission", ...decision, toolCallId: "other" }).model;
    expect(permissions).toMatchObject([{ decision: undefined, outcome: "open" }]);
    expect(decisions.map(({ permission }) => permission)).toEqual([-1, -1]);
  });

  it.each([
    ["before", 0],
    ["right after", 1],
  ])("take a decision of a hub, which names no tool call, %s the answer", (_, place) => {
    const what = "session/request_permission ls";
    const asked = script().ask(5, "t");
    const answered = place === 0 ? asked : asked.choose(5, "no");
    answered.event({ ms: 0, event: "permission", ...decision, what });
    expect(answered.model.permissions).toMatchObject([{ decision: { what } }]);
  });

  const cancelled = { result: { outcome: { outcome: "cancelled" } } };
  const cancel = { method: "session/cancel", params: { sessionId: "s" } };
  it.each([
    ["an option that was not offered", script().ask(5, "t").choose(5, "yes"), "answer_not_offered"],
    ["an option for always", script().ask(5, "t").choose(5, "always"), "always"],
    [
      "cancelled",
      script()
        .ask(5, "t")
        .out({ id: 5, ...cancelled }),
      "cancelled_without_cancel",
    ],
    [
      "cancelled after a cancel",
      script()
        .ask(5, "t")
        .out(cancel)
        .out({ id: 5, ...cancelled }),
      undefined,
    ],
    [
      "after the tool ran",
      script().ask(5, "t").update("tool_call_update", call("completed")).choose(5, "once"),
      "ran_before_answer",
    ],
    [
      "before the tool runs",
      script().ask(5, "t").choose(5, "once").update("tool_call_update", call("in_progress")),
      undefined,
    ],
  ])("that are answered with or %s are flagged", (_, from, flag) => {
    expect(from.model.permissions[0]?.flags).toEqual(flag === undefined ? [] : [flag]);
  });

  it("of v2 have the tool call in their subject", () => {
    const { permissions, toolCalls } = modelOfFile("acp-v2/tool-permission.jsonl");
    expect(permissions[0]).toMatchObject({ tool: 0, outcome: "selected", optionId: "once" });
    expect(toolCalls[0]?.title).toBe("Edit main.ts");
  });
});

describe("terminals", () => {
  it("of the client have their command, their output and their exit", () => {
    const of = { sessionId: "s", terminalId: "x" };
    const model = new Script()
      .open()
      .prompt(2)
      .in({
        id: 5,
        method: "terminal/create",
        params: { sessionId: "s", command: "ls", args: ["-a"] },
      })
      .out({ id: 5, result: { terminalId: "x" } })
      .in({ id: 6, method: "terminal/output", params: of })
      .out({ id: 6, result: { output: "one\n", truncated: true } })
      .wait(9)
      .in({ id: 7, method: "terminal/wait_for_exit", params: of })
      .out({ id: 7, result: { exitCode: 1, signal: null } })
      .in({ id: 8, method: "terminal/release", params: of }).model;
    const [terminal] = model.terminals;
    expect(terminal).toMatchObject({ exit: { code: 1 }, released: 11, created: 5, endMs: 9 });
    expect(terminal && terminalDetails(model, terminal)).toEqual({
      command: "ls -a",
      cwd: undefined,
      output: "one\n",
      isTruncated: true,
    });
    expect(model.turns[0]?.clientRequests).toEqual([5, 7, 9, 11]);
  });

  it("of an agent of v2 are put together from its updates", () => {
    const model = modelOfFile("acp-v2/real-claude-0.99.1-tools.jsonl");
    const [terminal] = model.terminals;
    const details = terminal && terminalDetails(model, terminal);
    expect(terminal?.exit).toBeDefined();
    expect(details?.command).not.toBe("");
    expect(details?.output).not.toBe("");
  });
});

describe("the conversation", () => {
  const texts = (script: Script) => {
    const { model } = script;
    return model.items.map((item) => [item.kind, itemText(model, item), item.count]);
  };
  const thought = (text: string, messageId?: string) => ({
    messageId,
    content: { type: "text", text },
  });

  it("joins chunks without an id by run", () => {
    const script = new Script().open().prompt(2, "hi").say("a").say("b");
    script.update("agent_thought_chunk", thought("hm")).say("c");
    expect(texts(script.done(2))).toEqual([
      ["prompt", "hi", 1],
      ["agent", "ab", 2],
      ["thought", "hm", 1],
      ["agent", "c", 1],
      ["end", "", 1],
    ]);
  });

  it("joins chunks with an id even if others come in between", () => {
    const script = new Script().open().prompt(2, "hi").say("a", "m1");
    script.update("agent_thought_chunk", thought("hm", "t1")).say("b", "m1").say("x", "m2");
    expect(texts(script)).toEqual([
      ["prompt", "hi", 1],
      ["agent", "ab", 2],
      ["thought", "hm", 1],
      ["agent", "x", 1],
    ]);
  });

  it("starts a new message after a tool call and a new turn", () => {
    const script = new Script().open().prompt(2, "1").say("a");
    script.update("tool_call", { toolCallId: "t" }).say("b").done(2).prompt(3, "2").say("c");
    expect(texts(script).map(([kind, text]) => [kind, text])).toEqual([
      ["prompt", "1"],
      ["agent", "a"],
      ["tool", ""],
      ["agent", "b"],
      ["end", ""],
      ["prompt", "2"],
      ["agent", "c"],
    ]);
  });

  it("has one plan per turn, which changes", () => {
    const { model } = new Script().open().prompt(2).update("plan", {}).say("a").update("plan", {});
    const plan = model.items.find(({ kind }) => kind === "plan");
    expect(plan && itemRows(model, plan)).toEqual([5, 7]);
  });

  it("shows the echo of an agent of v2 as the prompt, and whole messages in place of chunks", () => {
    const content = [{ type: "text", text: "all of it" }];
    const script = new Script()
      .open(2)
      .prompt(2, "hi")
      .update("user_message", { messageId: "u", content: [{ type: "text", text: "hi" }] })
      .say("a", "m")
      .update("agent_message", { messageId: "m", content })
      .say("!", "m");
    expect(texts(script)).toEqual([
      ["prompt", "hi", 2],
      ["agent", "all of it!", 3],
    ]);
  });

  it("has the messages of a replay outside of turns", () => {
    const { items } = modelOfFile("agents/gemini.loadfresh.jsonl");
    expect(items.some(({ kind, turn }) => kind === "user" && turn === -1)).toBe(true);
  });
});

describe("everything else", () => {
  it("forgets the exit of an agent that was started again", () => {
    const script = new Script().open().event({ ms: 1, event: "exit", code: 1, signal: null });
    expect(script.prompt(2).model.exit).toMatchObject({ code: 1 });
    expect(script.say("back").model.exit).toBeUndefined();
  });

  it("notes usage, exits, events and idle times", () => {
    const model = new Script()
      .open()
      .event({ ms: 1, event: "stderr", text: "hello\n" })
      .wait(6000)
      .prompt(2)
      .update("usage_update", { used: 5, size: 10, cost: { amount: 0.5, currency: "USD" } })
      .event({ ms: 6001, event: "exit", code: 2, signal: null })
      .event({ ms: 6002, event: "unknown", raw: { ms: 6002, event: "sparkle" } }).model;
    expect(model.usage).toMatchObject([
      { used: 5, size: 10, cost: { amount: 0.5, currency: "USD" }, turn: 0 },
    ]);
    expect(model.exit).toMatchObject({ code: 2, signal: null });
    expect(model.idleGaps).toEqual([{ fromMs: 1, toMs: 6000, after: 3 }]);
    expect([0, 1, 2].map((number) => model.event(number))).toEqual([
      { before: 4, entry: { ms: 1, event: "stderr", text: "hello\n" } },
      { before: 6, entry: { ms: 6001, event: "exit", code: 2, signal: null } },
      { before: 6, entry: { ms: 6002, event: "unknown", raw: { ms: 6002, event: "sparkle" } } },
    ]);
  });
});

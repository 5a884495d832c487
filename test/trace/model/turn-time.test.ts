import { describe, expect, it } from "vitest";
import { turnTime } from "../../../src/trace/model/turn-time.ts";
import { Script } from "../../apps/inspector/sessions.ts";

const tool = (status: string) => ({ toolCallId: "t", status });
const read = { method: "fs/read_text_file", params: { sessionId: "s", path: "/a" } };

describe("the time of a turn", () => {
  const times = (script: Script) => {
    const { model } = script;
    const [turn] = model.turns;
    return turn && turnTime(model, turn);
  };

  it("is split by cause, and the parts add up", () => {
    const script = new Script()
      .open()
      .prompt(2)
      .wait(100)
      .update("tool_call", tool("pending"))
      .ask(5, "t")
      .wait(1000)
      .choose(5, "once")
      .update("tool_call_update", tool("in_progress"))
      .wait(30)
      .in({ id: 6, ...read })
      .wait(20)
      .out({ id: 6, result: { content: "" } })
      .wait(50)
      .update("tool_call_update", tool("completed"))
      .wait(200)
      .done(2);
    expect(times(script)).toEqual({
      totalMs: 1400,
      personMs: 1000,
      clientMs: 20,
      toolMs: 80,
      agentMs: 300,
    });
  });

  it("counts times that overlap once", () => {
    const script = new Script().open().prompt(2).ask(5, "a").wait(10).ask(6, "b").wait(10);
    script
      .in({ id: 7, ...read })
      .wait(10)
      .choose(5, "once")
      .choose(6, "once")
      .wait(5);
    script.out({ id: 7, result: {} }).done(2);
    expect(times(script)).toMatchObject({ totalMs: 35, personMs: 30, clientMs: 5, agentMs: 0 });
  });

  it("takes a call that never was in progress from its announcement", () => {
    const script = new Script().open().prompt(2).wait(10).update("tool_call", tool("pending"));
    script.wait(40).update("tool_call_update", tool("completed")).wait(5).done(2);
    expect(times(script)).toMatchObject({ totalMs: 55, toolMs: 40, agentMs: 15 });
  });

  it("of a turn that runs goes up to now", () => {
    const script = new Script().open().prompt(2).wait(10).update("tool_call", tool("in_progress"));
    expect(times(script.wait(7).say("a"))).toMatchObject({ totalMs: 17, toolMs: 7, agentMs: 10 });
  });
});

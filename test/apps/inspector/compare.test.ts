import { describe, expect, it } from "vitest";
import {
  compareSessions,
  fieldDifferences,
  partiesOf,
} from "../../../src/apps/inspector/compare.ts";
import { modelOfFile, Script } from "./sessions.ts";

const call = (toolCallId: string, title: string) => ({ toolCallId, title, kind: "edit" });

describe("a comparison", () => {
  it("of a session with itself finds no difference", () => {
    const a = modelOfFile("captures/goose-1.37.0.json.gz");
    const { setup, turns } = compareSessions(a, a, true);
    expect(setup).toEqual([]);
    for (const turn of turns) {
      expect(turn).toMatchObject({ isSamePrompt: true, isSameStopReason: true });
      expect(turn.tools.every((pair) => pair.a === pair.b)).toBe(true);
      expect(turn.frames.every((pair) => pair.a === pair.b)).toBe(true);
      expect(turn.text?.every((piece) => piece.in === "both")).toBe(true);
    }
  });

  it("ignores ids, times and the number of chunks, and finds missing tool calls", () => {
    const a = new Script().open().prompt(2, "go").say("one").say(" two");
    a.update("tool_call", call("t1", "Edit x")).update("tool_call", call("t2", "Edit y")).done(2);
    const b = new Script().open().prompt(9, "go").wait(50).say("one").say(" ").say("three");
    b.update("tool_call", call("other", "Edit y")).done(9, "refusal");
    const [turn] = compareSessions(a.model, b.model, true).turns;
    expect(turn).toMatchObject({
      a: 0,
      b: 0,
      isSamePrompt: true,
      isSameStopReason: false,
      time: { a: { totalMs: 0 }, b: { totalMs: 50 } },
      tools: [
        { a: 0, b: undefined },
        { a: 1, b: 0 },
      ],
    });
    expect(
      turn?.frames.filter((pair) => pair.a === undefined || pair.b === undefined),
    ).toHaveLength(1);
    expect(turn?.text).toEqual([
      { text: "one ", in: "both" },
      { text: "two", in: "a" },
      { text: "three", in: "b" },
    ]);
  });

  it("puts turns with the same prompt side by side", () => {
    const a = new Script().open().prompt(2, "one").done(2).prompt(3, "two").done(3);
    const b = new Script().open().prompt(2, "zero").done(2).prompt(3, "two").done(3);
    b.prompt(4, "three").done(4);
    const { turns } = compareSessions(a.model, b.model);
    expect(turns.map(({ a: left, b: right, isSamePrompt }) => [left, right, isSamePrompt])).toEqual(
      [
        [0, 0, false],
        [1, 1, true],
        [undefined, 2, false],
      ],
    );
    expect(turns[0]?.text).toBeUndefined();
  });
});

describe("the set-up", () => {
  it("differs by field", () => {
    const open = (agentCapabilities: object, modes: object) =>
      new Script()
        .out({ id: 0, method: "initialize", params: { protocolVersion: 1 } })
        .in({ id: 0, result: { protocolVersion: 1, agentCapabilities } })
        .out({ id: 1, method: "session/new", params: {} })
        .in({ id: 1, result: { sessionId: String(Math.PI), modes } }).model;
    const a = open(
      { loadSession: true, promptCapabilities: { image: true } },
      { currentModeId: "x" },
    );
    const b = open(
      { loadSession: false, promptCapabilities: { image: true } },
      { currentModeId: "y" },
    );
    expect(compareSessions(a, b).setup).toEqual([
      { path: "agent.agentCapabilities.loadSession", a: true, b: false },
      { path: "session.modes.currentModeId", a: "x", b: "y" },
    ]);
  });

  it.each([
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    [{ a: [1] }, { a: [1, 2] }, [{ path: "a", a: [1], b: [1, 2] }]],
    [{}, { x: null }, [{ path: "x", a: undefined, b: null }]],
    [1, 1, []],
  ])("%j and %j differ by %j", (a, b, expected) => {
    expect(fieldDifferences(a, b)).toEqual(expected);
  });

  it("names the two sides, in v1 and v2", () => {
    expect(partiesOf(modelOfFile("captures/zed-1.5.4-claude-code-0.43.0.json"))).toMatchObject({
      agent: { name: "Claude Agent", version: "0.43.0" },
      client: { name: "Zed" },
      protocolVersion: 1,
    });
    expect(partiesOf(modelOfFile("acp-v2/plain-turn.jsonl"))).toMatchObject({
      agent: { name: "demo-agent" },
      client: { name: "demo-client" },
      protocolVersion: 2,
    });
  });
});

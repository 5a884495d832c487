import { describe, expect, it } from "vitest";
import { toUpdate } from "../../../../src/protocol/acp/index.ts";

const read = (raw: object) => toUpdate(raw, undefined, false, true);

describe("a state update", () => {
  it.each([
    ["running", "running"],
    ["requires_action", "requires_action"],
    ["idle", "idle"],
    ["_thinking", "unknown"],
    ["unknown", "unknown"],
  ])("%s reads as %s", (state, activity) => {
    expect(read({ sessionUpdate: "state_update", state })).toMatchObject({
      type: "state_update",
      activity,
      background: undefined,
      stopReason: undefined,
      error: undefined,
    });
  });

  it("has the background work, also of unknown types", () => {
    const background = [
      { type: "terminal", terminalId: "t" },
      { type: "tool_call", toolCallId: "c" },
      { type: "_job", id: 1 },
      { type: "terminal" },
      5,
    ];
    expect(read({ sessionUpdate: "state_update", state: "idle", background })).toMatchObject({
      background: [
        background[0],
        background[1],
        { type: "unknown", raw: { type: "_job", id: 1 } },
        { type: "unknown", raw: { type: "terminal" } },
        { type: "unknown", raw: 5 },
      ],
    });
  });

  it.each([
    ["idle", "end_turn", undefined, "end_turn", undefined],
    [
      "idle",
      "error",
      { code: 1, message: "m", data: 2 },
      "error",
      { code: 1, message: "m", data: 2 },
    ],
    ["idle", "error", { code: "1" }, "error", undefined],
    ["idle", "end_turn", { code: 1, message: "m" }, "end_turn", undefined],
    ["idle", null, null, undefined, undefined],
    ["running", "end_turn", undefined, undefined, undefined],
  ])(
    "%s with %j and %j has the stop reason %j and the error %j",
    (state, stopReason, error, reason, failure) => {
      const update = read({ sessionUpdate: "state_update", state, stopReason, error });
      expect(update).toMatchObject({ stopReason: reason, error: failure });
    },
  );
});

describe("a whole message", () => {
  it.each([
    [undefined, undefined],
    [null, null],
    [[], []],
    [[{ type: "text", text: "x" }, { type: "_y" }], [{ type: "text", text: "x" }]],
  ])("with %j has the content %j", (content, expected) => {
    const raw = { sessionUpdate: "agent_message", messageId: "a", content };
    expect(read(raw)).toMatchObject({ type: "agent_message", text: "", content: expected });
  });
});

describe("a terminal update", () => {
  it("tells unchanged, cleared and new values apart", () => {
    const raw = { sessionUpdate: "terminal_update", terminalId: "t", cwd: null, command: "ls" };
    expect(read(raw)).toMatchObject({ command: "ls", cwd: null, output: undefined });
    expect(
      read({ ...raw, output: { data: "aGk=" }, exitStatus: {}, size: { cols: 8, rows: 2 } }),
    ).toMatchObject({
      output: new TextEncoder().encode("hi"),
      exit: { code: undefined, signal: undefined },
      size: { cols: 8, rows: 2 },
    });
    expect(read({ ...raw, output: null, exitStatus: null, size: null })).toMatchObject({
      output: null,
      exit: null,
      size: null,
    });
  });

  it.each([
    [undefined, undefined],
    [null, false],
    [{}, false],
    [{ cancel: null }, false],
    [{ cancel: {} }, true],
  ])("with the capabilities %j can be cancelled: %s", (capabilities, canCancel) => {
    const raw = { sessionUpdate: "terminal_update", terminalId: "t", capabilities };
    expect(read(raw)).toMatchObject({ canCancel });
  });
});

describe("an update that only v2 has", () => {
  it.each([
    { sessionUpdate: "state_update" },
    { sessionUpdate: "state_update", state: 5 },
    { sessionUpdate: "agent_message" },
    { sessionUpdate: "terminal_update" },
    { sessionUpdate: "terminal_output_chunk", terminalId: "t" },
  ])("%j is unknown, because it is not complete", (raw) => {
    expect(read(raw)).toMatchObject({ type: "unknown", raw });
  });

  it("is unknown on a connection of v1", () => {
    expect(toUpdate({ sessionUpdate: "state_update", state: "idle" }).type).toBe("unknown");
  });
});

import { describe, expect, it } from "vitest";
import {
  applyUpdate,
  createSessionState,
  type SessionState,
  toUpdate,
} from "../../../../src/protocol/acp/index.ts";
import { base64Of } from "../../../../src/base/index.ts";

function after(...updates: readonly object[]): SessionState {
  const state = createSessionState();
  for (const update of updates) applyUpdate(state, toUpdate(update, undefined, false, true));
  return state;
}

const terminal = (more: object): object => ({
  sessionUpdate: "terminal_update",
  terminalId: "t",
  ...more,
});
const output = (bytes: Uint8Array): object => ({
  sessionUpdate: "terminal_output_chunk",
  terminalId: "t",
  data: base64Of(bytes),
});
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("an agent's terminal", () => {
  it("may be described after its output", () => {
    const { terminals } = after(output(bytes("hi")), terminal({ command: "ls", cwd: "/p" }));
    expect(terminals.get("t")).toMatchObject({ command: "ls", cwd: "/p", output: "hi" });
  });

  it("keeps characters that are split over chunks", () => {
    const all = bytes("a✓😀é");
    const { terminals } = after(...[...all].map((byte) => output(Uint8Array.of(byte))));
    expect(terminals.get("t")?.output).toBe("a✓😀é");
  });

  it("shows bytes that are not UTF-8 as replacements", () => {
    const { terminals } = after(
      output(Uint8Array.of(0xff, 0x61)),
      output(Uint8Array.of(0x80, 0x62)),
    );
    expect(terminals.get("t")?.output).toBe("�a�b");
  });

  it("is replaced by a snapshot, and cleared by null", () => {
    const snapshot = terminal({ output: { data: base64Of(bytes("new")) } });
    const half = output(bytes("✓").slice(0, 2));
    expect(after(output(bytes("old")), half, snapshot).terminals.get("t")?.output).toBe("new");
    expect(after(snapshot, terminal({ output: null })).terminals.get("t")?.output).toBe("");
    const changed = after(
      terminal({ command: "ls", size: { cols: 1, rows: 2 } }),
      terminal({ command: null }),
    );
    expect(changed.terminals.get("t")).toMatchObject({
      command: undefined,
      size: { cols: 1, rows: 2 },
    });
  });

  it("keeps the end of a long output", () => {
    const chunk = output(bytes("x".repeat(100_000)));
    const { terminals } = after(...Array.from({ length: 20 }, () => chunk), output(bytes("end")));
    const shown = terminals.get("t");
    expect(shown?.truncated).toBe(true);
    expect(shown?.output.length).toBeLessThan(600_000);
    expect(shown?.output.endsWith("end")).toBe(true);
  });

  it("can be cancelled until it exits", () => {
    const offered = terminal({ capabilities: { cancel: {} } });
    expect(after(offered, terminal({})).terminals.get("t")?.canCancel).toBe(true);
    expect(after(offered, terminal({ capabilities: null })).terminals.get("t")?.canCancel).toBe(
      false,
    );
    expect(after(offered, terminal({ exitStatus: {} })).terminals.get("t")?.canCancel).toBe(false);
  });

  it("that still runs is kept longer than one that has ended", () => {
    const named = (terminalId: string, more: object = {}) => ({
      sessionUpdate: "terminal_update",
      terminalId,
      ...more,
    });
    const ended = Array.from({ length: 300 }, (_, n) => named(`e${n}`, { exitStatus: {} }));
    const { terminals } = after(named("running"), ...ended);
    expect(terminals.has("running")).toBe(true);
    expect(terminals.size).toBeLessThanOrEqual(100);
  });
});

describe("the activity and the background work", () => {
  const state = (name: string, more: object = {}) => ({
    sessionUpdate: "state_update",
    state: name,
    ...more,
  });
  const job = { type: "terminal", terminalId: "t" };

  it("are unknown until the agent reports them", () => {
    expect(after()).toMatchObject({ activity: undefined, background: undefined });
  });

  it("are those of the last report", () => {
    expect(after(state("running"), state("idle", { background: [job] }))).toMatchObject({
      activity: "idle",
      background: [job],
    });
    expect(after(state("running", { background: [job] }), state("idle")).background).toEqual([job]);
    expect(
      after(state("running", { background: [job] }), state("idle", { background: [] })),
    ).toMatchObject({ background: [] });
  });
});

describe("a tool call", () => {
  const call = (more: object) => ({ sessionUpdate: "tool_call_update", toolCallId: "c", ...more });

  it("loses the values that were cleared", () => {
    const { toolCalls } = after(
      call({ title: "Run", name: "Bash", rawInput: 1, rawOutput: 2 }),
      call({ cleared: ["title", "name", "rawInput"] }),
    );
    expect(toolCalls.get("c")).toMatchObject({
      title: "",
      name: undefined,
      rawInput: undefined,
      rawOutput: 2,
    });
  });

  it("can be cancelled until it is over", () => {
    const offered = call({ title: "Run", capabilities: { cancel: {} } });
    expect(after(offered).toolCalls.get("c")?.canCancel).toBe(true);
    expect(
      after(offered, call({ status: "completed" })).toolCalls.get("c")?.canCancel,
    ).toBeUndefined();
  });
});

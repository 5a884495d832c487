import { describe, expect, it } from "vitest";
import { TerminalTexts } from "../../../../src/protocol/translator/agent/terminals.ts";
import { base64Of } from "../../../../src/base/index.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const chunk = (given: Uint8Array | string) => ({
  terminalId: "x",
  data: base64Of(typeof given === "string" ? bytes(given) : given),
});

describe("the text of an agent's terminal", () => {
  it("survives characters that are split over chunks", () => {
    const terminals = new TerminalTexts();
    const all = bytes("ok ✓ 😀");
    for (const byte of all) terminals.append(chunk(Uint8Array.of(byte)));
    expect(terminals.textOf("x")).toBe("ok ✓ 😀");
  });

  it("is replaced by a snapshot, and cleared by null", () => {
    const terminals = new TerminalTexts();
    terminals.append(chunk("old"));
    terminals.append(chunk(bytes("✓").slice(0, 1)));
    terminals.update({ terminalId: "x", output: { data: base64Of(bytes("new")) } });
    terminals.append(chunk("!"));
    expect(terminals.textOf("x")).toBe("new!");
    terminals.update({ terminalId: "x", command: "ls" });
    expect(terminals.textOf("x")).toBe("new!");
    terminals.update({ terminalId: "x", output: null });
    expect(terminals.textOf("x")).toBe("");
  });

  it("that is not base64 is empty", () => {
    const terminals = new TerminalTexts();
    terminals.append({ terminalId: "x", data: "%%%" });
    terminals.append({ terminalId: "x" });
    terminals.append({ data: "aGk=" });
    expect(terminals.textOf("x")).toBe("");
  });

  it("keeps its end only", () => {
    const terminals = new TerminalTexts();
    for (let n = 0; n < 100; n++) terminals.append(chunk("x".repeat(10_000)));
    terminals.append(chunk("end"));
    const text = terminals.textOf("x");
    expect(text.length).toBeLessThan(530_000);
    expect(text.endsWith("end")).toBe(true);
  });
});

describe("the tool calls that show a terminal", () => {
  function shown(): TerminalTexts {
    const terminals = new TerminalTexts();
    expect(terminals.show("x", "t")).toBe("");
    return terminals;
  }

  it("get the text when there is enough, whenever it doubled, and at the end", () => {
    const terminals = shown();
    const due: number[] = [];
    for (let n = 1; n <= 50; n++) {
      if (terminals.append(chunk("x".repeat(100))).has("t")) due.push(n * 100);
    }
    expect(due).toEqual([600, 1200, 2400, 4800]);
    expect([...terminals.update({ terminalId: "x", exitStatus: { exitCode: 0 } })]).toEqual(["t"]);
  });

  it.each([{}, { exitCode: null, signal: null }, { exitCode: 1 }, { signal: "SIGTERM" }])(
    "get the text with the exit status %j",
    (exitStatus) => {
      expect([...shown().update({ terminalId: "x", exitStatus })]).toEqual(["t"]);
    },
  );

  it("get nothing for an exit status that is cleared", () => {
    expect([...shown().update({ terminalId: "x", exitStatus: null })]).toEqual([]);
  });

  it("get the rest once the agent is idle", () => {
    const terminals = shown();
    terminals.append(chunk("hi"));
    expect(terminals.takeLate()).toEqual(["t"]);
    expect(terminals.takeLate()).toEqual([]);
  });
});

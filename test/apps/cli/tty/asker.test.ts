import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../support/io.ts";
import { start, withAgent, run } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

// oxlint-disable no-control-regex -- terminals are driven by control characters

const folders = foldersForAll();

describe("a question", () => {
  it("is asked on the alternate screen if machine-readable output goes to the same terminal", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "-o", "events", "edit"], {
      ...folders,
      terminal,
      stdoutTty: true,
    });
    await terminal.output.waitFor("Choose");
    terminal.type("1\n");
    await ended;
    expect(terminal.output.text).toMatch(/^\u001b\[\?1049h\u001b\[H[^]*\u001b\[\?1049l$/);
  });
});

const prompt = (...argv: string[]) => run([...withAgent(), ...argv], folders);

describe("a form", () => {
  it("is filled in and checked field by field", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "form"], { ...folders, terminal });
    for (const [question, typed] of [
      ["Name", "\nAda\n"],
      ["Size", "many\n3\n"],
      ["Color", "2\n"],
      ["Sure", "y\n"],
      ["Send this", "\n"],
    ] as const) {
      await terminal.output.waitFor(question);
      terminal.type(typed);
    }
    expect(JSON.parse((await ended).out)).toEqual({
      action: "accept",
      content: { name: "Ada", size: 3, color: "green", sure: true },
    });
    expect(terminal.output.text).toContain("node asks: Which one?");
    expect(terminal.output.text).toContain("Please enter a whole number.");
  });
  it("can be declined, and is not offered without a terminal", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "form"], { ...folders, terminal });
    await terminal.output.waitFor("Name");
    terminal.type("Ada\n\n1\n\nn\n");
    expect(JSON.parse((await ended).out)).toEqual({ action: "decline" });
    expect((await prompt("form")).out).toBe("-32601");
  });
});

describe("an address", () => {
  it.each([
    ["y\n", "accept"],
    ["\n", "decline"],
  ])("is shown with its host and never opened: %j means %s", async (typed, action) => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "url"], { ...folders, terminal });
    await terminal.output.waitFor("Will you open it?");
    expect(terminal.output.text).toContain("host: example.com\n  https://example.com/login?x=1\n");
    terminal.type(typed);
    expect((await ended).out).toBe(action);
  });
});

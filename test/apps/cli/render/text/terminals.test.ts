import { describe, expect, it } from "vitest";
import type {
  AgentTerminalChange,
  AgentTerminalState,
} from "../../../../../src/protocol/acp/index.ts";
import { endedTerminal } from "../../../../../src/apps/cli/render/text/output.ts";
import { TerminalProgress } from "../../../../../src/apps/cli/render/text/progress.ts";
import { plain } from "../../../../../src/apps/cli/render/terminal/style.ts";

const terminal = (fields: Partial<AgentTerminalState>): AgentTerminalState => ({
  terminalId: "t",
  command: "make",
  cwd: undefined,
  output: "",
  truncated: false,
  exit: { code: 0, signal: undefined },
  size: undefined,
  canCancel: false,
  ...fields,
});

const shown = (fields: Partial<AgentTerminalState>) => endedTerminal(terminal(fields), plain);

describe("a terminal that has ended", () => {
  it.each([
    [{ code: 0, signal: undefined }, "make (exit code 0)"],
    [{ code: 2, signal: undefined }, "make (exit code 2)"],
    [{ code: undefined, signal: "SIGKILL" }, "make (signal SIGKILL)"],
    [{ code: undefined, signal: undefined }, "make (ended)"],
  ])("says how: %j", (exit, line) => {
    expect(shown({ exit })[0]).toBe(line);
  });

  it("is named by its id if it has no command", () => {
    expect(shown({ command: undefined })[0]).toBe("t (exit code 0)");
  });

  it("shows the last lines of its output, each cut", () => {
    const output = Array.from({ length: 22 }, (_, n) => `${n}\n`).join("");
    expect(shown({ output }).slice(1, 3)).toEqual(["  … 2 lines before", "  2"]);
    expect(shown({ output, truncated: true })[1]).toBe("  … more than 2 lines before");
    expect(shown({ output: "x".repeat(2000) })[1]).toHaveLength(503);
  });

  it("shows lines as a terminal would leave them", () => {
    expect(shown({ output: "a\r\n1%\r50%\r100%\nb\r\n" }).slice(1)).toEqual([
      "  a",
      "  100%",
      "  b",
    ]);
  });

  it("cannot act on the terminal that shows it", () => {
    const [head, line] = shown({
      command: "x\u001b[2J\ny",
      output: "\u001b[31mred\u001b[0m\u001b]52;c;x\u0007",
    });
    expect(head).toBe("x␛[2J y (exit code 0)");
    expect(line).toBe("  red␛]52;c;x␇");
  });
});

describe("the progress of terminals", () => {
  const change = (fields: Partial<AgentTerminalChange>): AgentTerminalChange => ({
    type: "terminal_update",
    text: "",
    raw: {},
    terminalId: "t",
    command: undefined,
    cwd: undefined,
    output: undefined,
    exit: undefined,
    size: undefined,
    canCancel: undefined,
    ...fields,
  });

  it("reports the end of a command once", () => {
    const progress = new TerminalProgress();
    const exit = { code: 1, signal: undefined };
    expect(progress.take(change({ command: "make" }))).toBeUndefined();
    expect(progress.nameOf("t")).toBe("make");
    expect(progress.nameOf("other")).toBe("other");
    expect(progress.take(change({ exit }))).toMatchObject({ command: "make", exit });
    expect(progress.take(change({ exit }))).toBeUndefined();
  });
});

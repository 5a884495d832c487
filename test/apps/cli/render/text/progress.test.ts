import { describe, expect, it } from "vitest";
import {
  toUpdate,
  type ToolCallChange,
  type AgentTerminalChange,
  type AgentTerminalState,
} from "../../../../../src/protocol/acp/index.ts";
import {
  ToolProgress,
  PlanProgress,
  TerminalProgress,
  MessageBreaks,
} from "../../../../../src/apps/cli/render/text/progress.ts";
import { endedTerminal } from "../../../../../src/apps/cli/render/text/tool-output.ts";
import { plain } from "../../../../../src/apps/cli/render/terminal/style.ts";

function change(id: string, fields: object): ToolCallChange {
  const update = toUpdate({ sessionUpdate: "tool_call_update", toolCallId: id, ...fields });
  if (update.type !== "tool_call_update") throw new Error("not an update of a tool call");
  return update;
}
const diff = (newText: string) => ({ type: "diff", path: "/a", oldText: "", newText });

describe("the progress of tool calls", () => {
  it("reports a diff once, in whichever update it comes", () => {
    const progress = new ToolProgress(() => 0);
    const shown = (...texts: string[]): string[] =>
      progress.take(change("t", { content: texts.map(diff) })).diffs.map((one) => one.newText);
    expect(shown("a")).toEqual(["a"]);
    expect(shown("a", "b")).toEqual(["b"]);
    expect(shown("a")).toEqual([]);
  });

  it("reports the end of a call once, and how long it took", () => {
    let now = 0;
    const progress = new ToolProgress(() => now);
    expect(progress.take(change("t", {}))).toMatchObject({ status: "in_progress", ms: undefined });
    now = 7;
    const end = change("t", { status: "completed" });
    expect(progress.take(end)).toMatchObject({ status: "completed", ms: 7 });
    expect(progress.take(end)).toMatchObject({ status: undefined });
  });

  it("keeps the state of the newest calls, and not of every call that ended", () => {
    const progress = new ToolProgress(() => 0);
    const content = [diff("x".repeat(100_000))];
    for (let n = 0; n < 2000; n++) {
      progress.take(change(String(n), { title: `call ${n}`, status: "completed", content }));
    }
    const late = (id: string) => progress.take(change(id, {})).call;
    expect(late("1999")).toMatchObject({ title: "call 1999", content });
    expect(late("1500")).toMatchObject({ title: "call 1500", content: [], trimmed: true });
    expect(late("0")).toMatchObject({ title: "" });
  });
});

const plan = (...statuses: ("pending" | "in_progress" | "completed")[]) =>
  statuses.map((status, index) => ({
    content: `step ${index + 1}`,
    priority: "medium" as const,
    status,
  }));

describe("a plan", () => {
  it("is printed in full once, then only its progress", () => {
    const progress = new PlanProgress();
    expect(progress.take(plan("in_progress", "pending"))).toEqual([
      "0/2 done",
      "  → step 1",
      "  · step 2",
    ]);
    expect(progress.take(plan("completed", "in_progress"))).toEqual(["1/2 done → step 2"]);
    expect(progress.take(plan("completed", "completed"))).toEqual(["2/2 done"]);
  });

  it("is not printed again without a change, and in full if its steps change", () => {
    const progress = new PlanProgress();
    progress.take(plan("pending"));
    expect(progress.take(plan("pending"))).toEqual([]);
    expect(progress.take([])).toEqual([]);
    expect(progress.take(plan("completed", "pending"))).toEqual([
      "1/2 done",
      "  ✓ step 1",
      "  · step 2",
    ]);
  });
});

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

/** Joins pieces such as `1:text`, of which the part before the colon is the id of the message. */
function joined(...pieces: readonly string[]): string {
  const breaks = new MessageBreaks();
  const separated = pieces.map((piece) => {
    const [id = "", text = ""] = piece.split(":");
    return breaks.separated(text, id === "" ? undefined : id);
  });
  return separated.join("");
}

it.each([
  ["pieces of one message", ["1:a", "1:b"], "ab"],
  ["pieces without an id", [":a", ":b"], "ab"],
  ["two messages", ["1:a", "2:b"], "a\n\nb"],
  ["a message that ends in a newline", ["1:a\n", "2:b"], "a\n\nb"],
  ["a message that ends in a blank line", ["1:a\n", "1:\n", "2:b"], "a\n\nb"],
  ["an id that is missing in between", ["1:a", ":b", "1:c", "2:d"], "abc\n\nd"],
])("%s", (_name, pieces, text) => {
  expect(joined(...pieces)).toBe(text);
});

it("does not separate the messages of two turns", () => {
  const breaks = new MessageBreaks();
  breaks.separated("a", "1");
  breaks.end();
  expect(breaks.separated("b", "2")).toBe("b");
});

import { describe, expect, it } from "vitest";
import { toUpdate, type ToolCallChange } from "../../../../../src/protocol/acp/index.ts";
import { ToolProgress } from "../../../../../src/apps/cli/render/text/progress.ts";

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

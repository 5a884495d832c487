import { describe, expect, it } from "vitest";
import {
  mergeToolCall,
  toUpdate,
  type ToolCallState,
} from "../../../../../src/protocol/acp/index.ts";
import { plain } from "../../../../../src/apps/cli/render/terminal/style.ts";
import { changeLines, changesOf } from "../../../../../src/apps/cli/commands/chat/changes.ts";

interface Change {
  readonly path: string;
  readonly oldText?: string | null;
  readonly newText: string;
  readonly status?: "completed" | "failed" | "pending";
}

function sessionOf(...changes: readonly Change[]): { toolCalls: Map<string, ToolCallState> } {
  const toolCalls = new Map<string, ToolCallState>();
  for (const [n, { status = "completed", ...diff }] of changes.entries()) {
    const update = toUpdate({
      sessionUpdate: "tool_call",
      toolCallId: `t${n}`,
      title: "Edit",
      status,
      content: [{ type: "diff", ...diff }],
    });
    if (update.type !== "tool_call") throw new Error(`parsed as ${update.type}`);
    toolCalls.set(update.toolCallId, mergeToolCall(undefined, update));
  }
  return { toolCalls };
}

describe("the changes of a session", () => {
  it("join when one follows the other, and keep their order", () => {
    const session = sessionOf(
      { path: "/w/a", oldText: "1\n", newText: "2\n" },
      { path: "/w/b", newText: "new\n" },
      { path: "/w/a", oldText: "2\n", newText: "3\n" },
    );
    expect(changesOf(session).diffs).toEqual([
      { path: "/w/a", oldText: "1\n", newText: "3\n" },
      { path: "/w/b", oldText: undefined, newText: "new\n" },
    ]);
  });
  it("stay apart if they are parts of a file", () => {
    const session = sessionOf(
      { path: "/w/a", oldText: "x", newText: "y" },
      { path: "/w/a", oldText: "p", newText: "q" },
    );
    expect(changesOf(session).diffs).toHaveLength(2);
  });
  it("are only those that were made and are still there", () => {
    const session = sessionOf(
      { path: "/w/a", oldText: "1", newText: "2", status: "failed" },
      { path: "/w/b", oldText: "1", newText: "2", status: "pending" },
      { path: "/w/c", oldText: "1", newText: "2" },
      { path: "/w/c", oldText: "2", newText: "1" },
    );
    expect(changesOf(session).diffs).toEqual([]);
  });
  it("are shown with their files", async () => {
    const session = sessionOf({ path: "/w/a", oldText: null, newText: "x\n" });
    expect(await changeLines(changesOf(session), "/w", plain)).toEqual([
      "a (new)",
      "  @@ -1,0 +1,1 @@",
      "  +x",
    ]);
    expect(await changeLines({ diffs: [], missing: 0 }, "/w", plain)).toEqual([
      "the agent has reported no changes in this session",
    ]);
    expect(await changeLines({ diffs: [], missing: 2 }, "/w", plain)).toEqual([
      "… and 2 earlier changes, which are not kept anymore",
    ]);
  });
});

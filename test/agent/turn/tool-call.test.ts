import { describe, expect, it } from "vitest";
import { inTurn, type Json } from "../harness.ts";

describe("a tool call", () => {
  it("is reported, updated and settled", async () => {
    const { client } = await inTurn(async (turn) => {
      const call = await turn.toolCall({
        title: "Read",
        kind: "read",
        rawInput: { a: 1 },
        toolCallId: "t1",
      });
      await call.progress({ locations: [{ path: "/x", line: 3 }] });
      await call.update({ content: [{ type: "content", content: { type: "text", text: "c" } }] });
      await call.complete({ rawOutput: 5 });
      expect(call.settled).toBe(true);
      await (await turn.toolCall({ title: "Bad", status: "pending" })).fail({ title: "Worse" });
    });
    expect(client.updates).toMatchObject([
      { sessionUpdate: "tool_call", toolCallId: "t1", title: "Read", status: "in_progress" },
      { toolCallId: "t1", status: "in_progress", locations: [{ path: "/x", line: 3 }] },
      { toolCallId: "t1", content: [{ type: "content" }] },
      { toolCallId: "t1", status: "completed", rawOutput: 5 },
      { sessionUpdate: "tool_call", title: "Bad", status: "pending" },
      { status: "failed", title: "Worse" },
    ]);
  });

  it("keeps its fields and its status where an update has undefined", async () => {
    const { client } = await inTurn(async (turn) => {
      const call = await turn.toolCall({ title: "Read", kind: undefined, status: undefined });
      await call.complete({ title: undefined, status: undefined, content: undefined });
      expect(call.settled).toBe(true);
    });
    const { toolCallId } = client.updates[0] ?? {};
    expect(client.updates).toEqual([
      { sessionUpdate: "tool_call", toolCallId, title: "Read", status: "in_progress" },
      { sessionUpdate: "tool_call_update", toolCallId, status: "completed" },
    ]);
  });

  const choose = (optionId: string) => ({
    "session/request_permission": () => ({ outcome: { outcome: "selected", optionId } }),
  });
  const statuses = (updates: readonly Json[]) =>
    updates.flatMap(({ status }) => (typeof status === "string" ? [status] : []));

  it("that is still running at the end of the turn completes with it", async () => {
    const { client } = await inTurn(async (turn) => {
      await turn.toolCall({ title: "Read" });
      await (await turn.toolCall({ title: "Search", status: "pending" })).progress();
    });
    expect(statuses(client.updates)).toEqual([
      "in_progress",
      "pending",
      "in_progress",
      "completed",
      "completed",
    ]);
  });

  it("that never ran fails at the end of the turn", async () => {
    const { client } = await inTurn((turn) => turn.toolCall({ title: "Read", status: "pending" }));
    expect(statuses(client.updates)).toEqual(["pending", "failed"]);
  });

  it.each([
    ["allow_once", "completed"],
    ["reject_once", "failed"],
  ])("whose permission is answered with %s and that is left open has %s", async (option, end) => {
    const { client } = await inTurn(async (turn) => {
      const call = await turn.toolCall({ title: "Edit", status: "pending" });
      await call.askPermission();
    }, choose(option));
    expect(statuses(client.updates)).toEqual(["pending", end]);
  });

  it("that was denied and ran later all the same completes", async () => {
    const { client } = await inTurn(async (turn) => {
      const call = await turn.toolCall({ title: "Edit" });
      await call.askPermission();
      await call.progress({ title: "Edit a copy" });
    }, choose("reject_once"));
    expect(statuses(client.updates).at(-1)).toBe("completed");
  });
});

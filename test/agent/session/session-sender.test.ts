import { describe, expect, it } from "vitest";
import { inTurn } from "../harness.ts";

describe("session updates", () => {
  it("have the kinds that the protocol defines", async () => {
    const { client } = await inTurn(async (turn) => {
      await turn.plan([{ content: "a", priority: "low", status: "pending" }]);
      await turn.usage({ used: 1, size: 2, cost: { amount: 3, currency: "EUR" } });
      await turn.title("T");
      await turn.commands([{ name: "c", description: "d", input: { hint: "h" } }]);
      await turn.mode("m");
      await turn.configOptions([{ id: "b", name: "B", type: "boolean", currentValue: true }]);
      await turn.notice({ severity: "warning", title: "n" });
      await turn.compaction("c", "completed", { summary: "s" });
      await turn.say({ type: "image", data: "AA==", mimeType: "image/png" });
      await turn.update({ sessionUpdate: "current_mode_update", currentModeId: "raw" });
    });
    expect(client.updates.map((update) => update["sessionUpdate"])).toEqual([
      "plan",
      "usage_update",
      "session_info_update",
      "available_commands_update",
      "current_mode_update",
      "config_option_update",
      "notice",
      "compaction_update",
      "agent_message_chunk",
      "current_mode_update",
    ]);
  });

  it("leave out boolean options for clients that do not support them", async () => {
    const { client } = await inTurn(
      (turn) => turn.configOptions([{ id: "b", name: "B", type: "boolean", currentValue: true }]),
      {},
      {},
    );
    expect(client.updates).toEqual([{ sessionUpdate: "config_option_update", configOptions: [] }]);
  });
});

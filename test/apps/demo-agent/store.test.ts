import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { demoAgent } from "../../../src/apps/demo-agent/agent.ts";
import { errorOf, leave, serve } from "../../agent/harness.ts";
import { useTempFolder } from "../../support/temp-folder.ts";

let cwd = "";
useTempFolder((path) => (cwd = path));

describe("sessions", () => {
  it("are named after their first prompt, can be forked, and are saved in a folder if one is given", async () => {
    const stateFolder = join(cwd, "state");
    const options = { version: "1", unstable: true, stateFolder, exit: () => {} };
    const first = await serve(demoAgent(options), { version: "unstable" });
    const sessionId = await first.client.newSession({ cwd });
    await first.client.prompt(sessionId, "/think well");
    const forked = await first.client.call("session/fork", { sessionId, cwd });
    expect(forked["sessionId"]).not.toBe(sessionId);
    await leave(first);
    if (process.platform !== "win32") {
      const { mode } = await stat(join(stateFolder, `${sessionId}.jsonl`));
      expect(mode & 0o777).toBe(0o600);
    }

    const second = await serve(demoAgent(options), { version: "unstable" });
    const { sessions } = await second.client.call("session/list", { cwd });
    expect(sessions).toContainEqual(
      expect.objectContaining({ sessionId, cwd, title: "/think well" }),
    );
    await second.client.call("session/load", { sessionId, cwd, mcpServers: [] });
    expect(second.client.text("agent_thought_chunk")).toBe("well ");
    expect(second.client.text("user_message_chunk")).toBe("/think well");
    await second.client.call("session/delete", { sessionId });
    await leave(second);

    const third = await serve(demoAgent(options), { version: "unstable" });
    const load = third.client.call("session/load", { sessionId, cwd, mcpServers: [] });
    expect(await errorOf(load)).toMatchObject({ code: -32002 });
  });
  it("have their mode and options again in another process", async () => {
    const options = { version: "1", stateFolder: join(cwd, "settings"), exit: () => {} };
    const first = await serve(demoAgent(options));
    const sessionId = await first.client.newSession({ cwd });
    await first.client.prompt(sessionId, "/think well");
    await first.client.call("session/set_mode", { sessionId, modeId: "auto" });
    const detail = { sessionId, configId: "detail", value: "full" };
    await first.client.call("session/set_config_option", detail);
    await first.client.peer.close();
    await first.served;

    const second = await serve(demoAgent(options));
    const loaded = await second.client.call("session/load", { sessionId, cwd, mcpServers: [] });
    expect(loaded).toMatchObject({
      modes: { currentModeId: "auto" },
      configOptions: [{ id: "detail", currentValue: "full" }],
    });
  });
});

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { text } from "../../../src/conformance/scripted-model/index.ts";
import { isJson } from "./judge.ts";
import { errorOf } from "./reading.ts";
import { isV2, describeScenarios } from "./rig.ts";

/** The current values of options, by id. */
function values(options: unknown): Record<string, unknown> {
  const list = Array.isArray(options) ? options.filter(isJson) : [];
  return Object.fromEntries(list.map((one) => [String(one["id"]), one["currentValue"]]));
}

describeScenarios("the settings of a session of droid-acp", ({ driver, start }) => {
  test("are modes and config options that stay in step and take effect, and unknown values are rejected", async () => {
    const { client, home, model } = await start({ script: [text("fine")] });
    const png = await readFile(new URL("pixel.png", import.meta.url), "base64");
    const { sessionId, modes, configOptions } = await client.open(home.workspace);
    expect(modes).toMatchObject({ currentModeId: "off" });
    const effort = { reasoning_effort: "none" };
    expect(values(configOptions)).toEqual({ mode: "off", model: home.modelId, ...effort });

    const from = client.updates.length;
    await client.setMode(sessionId, "spec");
    await client.until(() => client.ofKind("config_option_update", from).length > 0);
    const [update] = client.ofKind("config_option_update", from);
    expect(values(update?.["configOptions"])).toMatchObject({ mode: "spec" });
    const set = await client.setOption(sessionId, "mode", "low");
    expect(values(set)).toEqual({ mode: "low", model: home.modelId, ...effort });
    expect(client.ofKind("current_mode_update", from).at(-1)?.["currentModeId"]).toBe("low");

    const custom = "custom:Mock-0";
    const changed = await client.setOption(sessionId, "model", custom);
    expect(values(changed)).toMatchObject({ model: custom });
    const prompt = await client.prompt(sessionId, [
      { type: "text", text: "works?" },
      { type: "image", data: png, mimeType: "image/png" },
    ]);
    expect(prompt).toBe("end_turn");
    // This model is not configured for images. Droid itself would leave them out silently.
    const reason = isV2(driver)
      ? JSON.stringify(client.ofKind("notice"))
      : client.text("agent_thought_chunk");
    expect(reason).toContain("not configured for images");
    expect(model.calls.at(-1)?.body["model"]).toBe("mock-1");

    if (!client.raw) return;
    // Clients from 2025 use this method instead.
    await client.raw("session/set_model", { sessionId, modelId: custom });
    for (const [configId, value] of [
      ["mode", "bogus"],
      ["model", "bogus"],
      ["reasoning_effort", "bogus"],
      ["nothing", "x"],
    ] as const)
      expect(await errorOf(client.setOption(sessionId, configId, value))).toMatchObject({
        code: -32602,
      });
    expect(await errorOf(client.setMode(sessionId, "bogus"))).toMatchObject({ code: -32602 });
    const bogus = client.raw("session/set_model", { sessionId, modelId: "bogus" });
    expect(await errorOf(bogus)).toMatchObject({ code: -32602 });
  });
});

import { describe, expect, it } from "vitest";
import type { AgentDefinition } from "../../../src/entries/agent.ts";
import { info } from "../definitions.ts";
import { errorOf, serve, workspace, type Json } from "../harness.ts";

describe("modes and config options", () => {
  const agent = (): AgentDefinition<{ mode: string; on: boolean; size: string }> => ({
    info,
    newSession: () => ({ mode: "a", on: false, size: "s" }),
    prompt: async () => {},
    modes: ({ state }) => ({
      currentModeId: state.mode,
      availableModes: [
        { id: "a", name: "A" },
        { id: "b", name: "B" },
      ],
    }),
    setMode: ({ state }, id) => {
      state.mode = id;
    },
    configOptions: ({ state }) => [
      {
        id: "size",
        name: "Size",
        type: "select",
        currentValue: state.size,
        options: [
          {
            group: "g",
            name: "G",
            options: [
              { value: "s", name: "S" },
              { value: "l", name: "L" },
            ],
          },
        ],
      },
      { id: "on", name: "On", type: "boolean", currentValue: state.on },
    ],
    setConfigOption: ({ state }, id, value) => {
      if (typeof value === "boolean") state.on = value;
      else state.size = value;
      expect(id).toBe(typeof value === "boolean" ? "on" : "size");
    },
  });

  it("are part of a new session and change on request", async () => {
    const { client } = await serve(agent(), {
      capabilities: { session: { configOptions: { boolean: {} } } },
    });
    const setup = await client.call("session/new", workspace);
    expect(setup).toMatchObject({
      modes: { currentModeId: "a" },
      configOptions: [{ id: "size" }, { id: "on" }],
    });
    const { sessionId } = setup;
    expect(await client.call("session/set_mode", { sessionId, modeId: "b" })).toEqual({});
    const set = (configId: string, more: object) =>
      client.call("session/set_config_option", { sessionId, configId, ...more });
    expect(await set("size", { value: "l" })).toMatchObject({
      configOptions: [{ currentValue: "l" }, { currentValue: false }],
    });
    expect(await set("on", { type: "boolean", value: true })).toMatchObject({
      configOptions: [{ currentValue: "l" }, { currentValue: true }],
    });
    const fault = async (call: Promise<unknown>) =>
      ((await errorOf(call))["data"] as { errors: Json[] }).errors[0]?.["path"];
    expect(await fault(client.call("session/set_mode", { sessionId, modeId: "c" }))).toBe("modeId");
    expect(await fault(set("nothing", { value: "l" }))).toBe("configId");
    expect(await fault(set("size", { value: "xl" }))).toBe("value");
    expect(await fault(set("on", { value: "true" }))).toBe("value");
  });

  it("leave out booleans for a client that does not support them", async () => {
    const { client } = await serve(agent());
    const setup = await client.call("session/new", workspace);
    expect(setup["configOptions"]).toHaveLength(1);
    const params = { sessionId: setup["sessionId"], configId: "on", type: "boolean", value: true };
    expect(await errorOf(client.call("session/set_config_option", params))).toMatchObject({
      code: -32602,
    });
  });
});

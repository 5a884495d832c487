import { describe, expect, it } from "vitest";
import type { AgentDefinition } from "../../src/entries/agent.ts";
import { everyMethod, info, promptAgent } from "./definitions.ts";
import { serve } from "./harness.ts";

describe("the advertised capabilities", () => {
  it("are all off for an agent that only answers prompts", async () => {
    const { client } = await serve(async () => {}, { raw: true });
    expect(await client.initialize()).toEqual({
      protocolVersion: 1,
      agentInfo: info,
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: false, audio: false, embeddedContext: false },
        mcpCapabilities: { http: false, sse: false },
      },
    });
  });

  it("cover everything the definition implements", async () => {
    const all: AgentDefinition<object> = {
      ...everyMethod,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      additionalDirectories: true,
    };
    const { client } = await serve(all, { raw: true, version: "unstable" });
    expect(await client.initialize()).toEqual({
      protocolVersion: 1,
      agentInfo: info,
      authMethods: [{ id: "a", name: "A" }],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: {
          list: {},
          delete: {},
          resume: {},
          close: {},
          additionalDirectories: {},
          fork: {},
        },
        auth: { logout: {} },
      },
    });
    const other = await serve(all, { raw: true, version: "unstable" });
    const shown = await other.client.initialize({ auth: { terminal: true } });
    expect(shown["authMethods"]).toHaveLength(2);
  });
});

describe("an inconsistent definition", () => {
  it.each([
    ["authMethods without authenticate", { authMethods: [{ id: "a", name: "A" }] }],
    ["setMode without modes", { setMode: () => {} }],
    ["setConfigOption without configOptions", { setConfigOption: () => {} }],
  ])("with %s fails with a TypeError before serving", async (_, more) => {
    await expect(
      serve(
        promptAgent(async () => {}, more),
        { raw: true },
      ).then(({ served }) => served),
    ).rejects.toThrow(TypeError);
  });
});

import { describe, expect, it } from "vitest";
import { modernised } from "../../../src/apps/droid-acp/serve.ts";

describe("session/set_model", () => {
  it("becomes session/set_config_option, and other lines stay the same", () => {
    const old = {
      jsonrpc: "2.0",
      id: 1,
      method: "session/set_model",
      params: { sessionId: "s", modelId: "m" },
    };
    expect(JSON.parse(modernised(JSON.stringify(old)))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "session/set_config_option",
      params: { sessionId: "s", configId: "model", value: "m" },
    });
    for (const line of [
      "no json session/set_model",
      '{"method":"x","params":"session/set_model"}',
      "{}",
    ])
      expect(modernised(line)).toBe(line);
  });
});

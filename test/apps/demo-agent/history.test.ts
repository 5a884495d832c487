import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { demoAgent } from "../../../src/apps/demo-agent/agent.ts";
import { serve } from "../../agent/harness.ts";

describe("a session's history", () => {
  it("drops its oldest part when it grows too long", async () => {
    const cwd = tmpdir();
    const { client } = await serve(demoAgent({ version: "1", exit: () => {} }));
    const sessionId = await client.newSession({ cwd });
    for (let i = 0; i < 4; i++) await client.prompt(sessionId, "/flood 10 900000");
    client.updates.length = 0;
    await client.call("session/load", { sessionId, cwd, mcpServers: [] });
    const size = JSON.stringify(client.updates).length;
    expect(size).toBeGreaterThan(4_000_000);
    expect(size).toBeLessThan(18_000_000);
  });
});

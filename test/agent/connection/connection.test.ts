import { describe, expect, it } from "vitest";
import { promptAgent } from "../definitions.ts";
import { errorOf, serve, UUID, workspace } from "../harness.ts";

describe("initialize", () => {
  it.each([1, 0, 2, 65535])("answers a request for version %d with version 1", async (version) => {
    const { client } = await serve(
      promptAgent(async () => {}),
      { raw: true },
    );
    const result = await client.call("initialize", { protocolVersion: version });
    expect(result["protocolVersion"]).toBe(1);
  });

  it("must be the first request and is accepted only once", async () => {
    const { client } = await serve(
      promptAgent(async () => {}),
      { raw: true },
    );
    for (const method of ["session/new", "session/prompt", "authenticate", "nothing", "_x"]) {
      expect(await errorOf(client.peer.call(method, workspace))).toMatchObject({ code: -32600 });
    }
    await client.initialize();
    expect(await errorOf(client.initialize())).toMatchObject({ code: -32600 });
    expect(await client.newSession()).toMatch(UUID);
  });

  it("can be repeated after invalid params", async () => {
    const { client } = await serve(
      promptAgent(async () => {}),
      { raw: true },
    );
    expect(await errorOf(client.call("initialize", { protocolVersion: "1" }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "protocolVersion" }] },
    });
    expect(await client.initialize()).toMatchObject({ protocolVersion: 1 });
  });
});

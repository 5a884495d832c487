// Requests that droid-acp rejects. Our library rejects most of them before it sends them, so only the
// SDK, which sends anything, runs all of these. Our library runs the rest.
import { expect, test } from "vitest";
import { errorOf } from "./reading.ts";
import { describeScenarios } from "./rig.ts";

describeScenarios("droid-acp rejects", ({ start, open }) => {
  test("a relative or missing folder at once, and an unknown session", async () => {
    const { client, home, initialized } = await start();
    expect(initialized["protocolVersion"]).toBe(1);
    for (const cwd of [...(client.raw ? ["relative"] : []), `${home.workspace}/missing`]) {
      const startedAt = performance.now();
      expect(await errorOf(client.newSession(cwd))).toMatchObject({ code: -32602 });
      expect(performance.now() - startedAt).toBeLessThan(1000);
    }
    const none = { sessionId: "none", cwd: home.workspace };
    expect(await errorOf(client.load(none))).toMatchObject({ code: -32002 });
    expect(await errorOf(client.resume(none))).toMatchObject({ code: -32002 });
    expect(await errorOf(client.fork(none))).toMatchObject({ code: -32002 });
    await client.delete("none");
    if (!client.raw) return;
    await client.close("none");
    expect(await errorOf(client.prompt("none", "x"))).toMatchObject({ code: -32002 });
    expect(await errorOf(client.raw("session/list", { cursor: "?" }))).toMatchObject({
      code: -32602,
    });
    expect(await errorOf(client.raw("session/none", {}))).toMatchObject({ code: -32601 });
    expect(await errorOf(client.raw("session/prompt", { prompt: 1 }))).toMatchObject({
      code: -32602,
    });
  });

  test("an image that cannot be read, with the reason that Droid gives", async () => {
    const { client, session } = await open({ home: { images: true }, script: [] });
    const image = { type: "image", data: "bm90IGFuIGltYWdl", mimeType: "image/png" } as const;
    const prompt = client.prompt(session, [{ type: "text", text: "look" }, image]);
    const { message } = await errorOf(prompt);
    expect(message).toContain("unrecognised content");
  });

  test("an empty prompt, and audio", async () => {
    const { client, home } = await start({ script: [] });
    const sessionId = await client.newSession(home.workspace);
    if (client.raw) {
      expect(await errorOf(client.prompt(sessionId, []))).toMatchObject({ code: -32602 });
      const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" } as const;
      expect(await errorOf(client.prompt(sessionId, [audio]))).toMatchObject({ code: -32602 });
    }
    expect(await errorOf(client.prompt(sessionId, "  "))).toMatchObject({ code: -32602 });
  });
});

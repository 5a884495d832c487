// What droid-acp refuses. Our library refuses most of it by itself before it is sent, so the SDK,
// which sends anything, drives these; what our library does send it drives too.
import { describe, expect, test } from "vitest";
import { droidUnavailable } from "../../support/droid/install.ts";
import { hang, text } from "../../support/model/index.ts";
import { refusal } from "./reading.ts";
import { CRASH, rig, scenarios } from "./rig.ts";

const LONG = 120_000;

describe.skipIf(droidUnavailable() !== undefined).each(scenarios())(
  "droid-acp on $version with $driver refuses",
  { timeout: LONG, retry: CRASH },
  ({ version, driver }) => {
    test("a folder that is not absolute or not there, at once, and a session it does not know", async () => {
      const { client, home, initialized } = await rig({ version, driver });
      expect(initialized["protocolVersion"]).toBe(1);
      for (const cwd of [...(client.raw ? ["relative"] : []), `${home.workspace}/missing`]) {
        const began = performance.now();
        expect(await refusal(client.newSession(cwd))).toMatchObject({ code: -32602 });
        expect(performance.now() - began).toBeLessThan(1000);
      }
      const none = { sessionId: "none", cwd: home.workspace };
      expect(await refusal(client.load(none))).toMatchObject({ code: -32002 });
      expect(await refusal(client.resume(none))).toMatchObject({ code: -32002 });
      expect(await refusal(client.fork(none))).toMatchObject({ code: -32002 });
      await client.delete("none");
      if (!client.raw) return;
      await client.close("none");
      expect(await refusal(client.prompt("none", "x"))).toMatchObject({ code: -32002 });
      expect(await refusal(client.raw("session/list", { cursor: "?" }))).toMatchObject({
        code: -32602,
      });
      expect(await refusal(client.raw("session/none", {}))).toMatchObject({ code: -32601 });
      expect(await refusal(client.raw("session/prompt", { prompt: 1 }))).toMatchObject({
        code: -32602,
      });
    });

    test("a second prompt while one runs, an empty one, and audio", async () => {
      const pause = hang();
      const { client, home } = await rig({ version, driver, script: [[pause, text("first")]] });
      const sessionId = await client.newSession(home.workspace);
      if (client.raw) {
        const first = client.prompt(sessionId, "first");
        await pause.arrived;
        expect(await refusal(client.prompt(sessionId, "second"))).toMatchObject({ code: -32600 });
        pause.release();
        expect(await first).toBe("end_turn");
        expect(await refusal(client.prompt(sessionId, []))).toMatchObject({ code: -32602 });
        const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" } as const;
        expect(await refusal(client.prompt(sessionId, [audio]))).toMatchObject({ code: -32602 });
      }
      expect(await refusal(client.prompt(sessionId, "  "))).toMatchObject({ code: -32602 });
    });
  },
);

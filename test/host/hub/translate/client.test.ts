import { describe, expect, it } from "vitest";
import { serveAgent } from "../../../../src/agent/index.ts";
import { AcpClient } from "../../../../src/client/index.ts";
import { translatedClient } from "../../../../src/host/hub/translate/client.ts";
import { memoryPair } from "../../../../src/transport/wire/index.ts";
import { SdkV2Client } from "../../../support/sdk-v2-client.ts";
import { Lines } from "./lines.ts";

describe.each([1, 2] as const)("a channel that speaks version %i with any client", (version) => {
  it("serves a v1 client and a v2 client", async () => {
    for (const spoken of [1, 2]) {
      const [near, far] = memoryPair();
      const served = serveAgent(translatedClient(far, version), {
        info: { name: "x", version: "1" },
        newSession: () => undefined,
        prompt: async (turn) => {
          await turn.say(`version ${turn.client.protocolVersion}`);
        },
      });
      if (spoken === 1) {
        const client = await AcpClient.start({ channel: near });
        const session = await client.newSession({ cwd: process.cwd() });
        expect(await session.prompt("hello").text()).toBe(`version ${version}`);
        await client.close();
      } else {
        const client = new SdkV2Client(near);
        await client.initialize();
        await client.prompt(await client.newSession(), "hello");
        expect(client.text()).toBe(`version ${version}`);
        await client.close();
      }
      await served;
    }
  });

  it("passes the bytes of a client that speaks the same version", async () => {
    const [client, far] = memoryPair();
    const channel = translatedClient(far, version);
    const [toHub, toClient] = [new Lines(channel), new Lines(client)];
    const info = { name: "x", version: "1" };
    const params = JSON.stringify({ protocolVersion: version, info });
    for (const line of [` {"id":0,"method":"initialize","params":${params}}`, "noise"]) {
      void client.send(line);
      expect(await toHub.next()).toBe(line);
    }
    const odd = '{"method":"_x", "params":{"n":12345678901234567890}}';
    void channel.send(odd);
    expect(await toClient.next()).toBe(odd);
  });
});

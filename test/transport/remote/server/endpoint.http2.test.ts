// The endpoint behind a server of node:http2, which users bring themselves.
import { once } from "node:events";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { remoteEndpoint } from "../../../../src/transport/remote/index.ts";
import {
  afterwards,
  agentScript,
  AUTHORIZATION,
  cleanUp,
  INITIALIZE,
  requestLine,
} from "../rig.ts";

afterEach(cleanUp);

it("answers over HTTP/2", async () => {
  const endpoint = remoteEndpoint({ authorize: ({ token }) => token, hosts: ["127.0.0.1"] });
  endpoint.open((channel) => channel.open((line) => agentScript(line, channel)));
  const server = createServer((request, response) => void endpoint.handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  afterwards(() => {
    client.destroy();
    server.close();
  });

  const send = async (headers: Readonly<Record<string, string>>, body?: string) => {
    const stream = client.request({ ":path": "/acp", ...AUTHORIZATION, ...headers });
    stream.end(body);
    const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
    return { stream, answer };
  };
  const json = { ":method": "POST", "content-type": "application/json" };
  const { answer } = await send(json, INITIALIZE);
  expect(answer).toMatchObject({ ":status": 200, "acp-connection-id": expect.any(String) });
  const named = { "acp-connection-id": String(answer["acp-connection-id"]) };
  const events = await send({ ...named, accept: "text/event-stream" });
  expect(events.answer[":status"]).toBe(200);
  expect((await send({ ...json, ...named }, requestLine(2, "session/new"))).answer).toMatchObject({
    ":status": 202,
  });
  let text = "";
  for await (const piece of events.stream.setEncoding("utf8")) {
    text += String(piece);
    if (text.includes('"id":2')) break;
  }
  expect(text).toContain('"sessionId":"s"');
  expect((await send({ ...named, ":authority": "evil.example" })).answer[":status"]).toBe(403);
});

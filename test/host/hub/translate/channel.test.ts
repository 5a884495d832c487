import { expect, it } from "vitest";
import { translatedClient } from "../../../../src/host/hub/index.ts";
import { memoryPair } from "../../../../src/transport/wire/index.ts";
import { Lines } from "./lines.ts";

it("drops a message that makes no sense in the other version, and goes on", async () => {
  const [near, far] = memoryPair();
  const client = new Lines(far);
  const hub = translatedClient(near, 1);
  const asked = new Lines(hub);
  const info = { name: "x", version: "1" };
  const params = { protocolVersion: 2, capabilities: {}, info };
  void far.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
  await asked.next();
  const result = { protocolVersion: 1, agentCapabilities: {}, agentInfo: info };
  void hub.send(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
  await client.next();
  const update = { sessionUpdate: "tool_call", toolCallId: { toString: 2 }, title: "x" };
  const line = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } };
  await hub.send(JSON.stringify(line));
  void hub.send(JSON.stringify({ jsonrpc: "2.0", method: "_vendor/tell", params: {} }));
  expect(await client.next()).toContain("_vendor/tell");
});

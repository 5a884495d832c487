// Our peer as the agent for a client built with the official SDK, over a real pipe.
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { openProcess } from "../../src/transport/wire/process/channel.ts";
import { tapped } from "../../src/transport/wire/recording/tap.ts";
import { RpcError } from "../../src/transport/rpc/errors.ts";
import type { RequestContext } from "../../src/transport/rpc/inbound.ts";
import { Peer } from "../../src/transport/rpc/peer.ts";
import { agentPath } from "../support/agents/bundle.ts";

const peers: Peer[] = [];
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
});

it("a client built with the SDK makes calls, gets updates and requests, cancels and calls unknown methods", async () => {
  const written: string[] = [];
  let resolveReport: (report: unknown) => void = () => {};
  const report = new Promise<unknown>((resolve) => {
    resolveReport = resolve;
  });
  const channel = tapped(
    await openProcess({ command: process.execPath, args: [agentPath("sdk-client.mjs")] }),
    ({ direction, line }) => {
      if (direction === "out") written.push(line);
    },
  );
  const say = (text: string): Promise<void> =>
    peer.notify("session/update", {
      sessionId: "s",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    });

  async function prompt(text: unknown, { signal }: RequestContext): Promise<unknown> {
    if (text === "wait") {
      await once(signal, "abort");
      throw signal.reason;
    }
    void say("one");
    void peer.notify("session/update", { sessionId: "s", update: { sessionUpdate: "hologram" } });
    const permission = await peer.call("session/request_permission", {
      sessionId: "s",
      toolCall: { toolCallId: "t" },
      options: [{ optionId: "only", name: "Only", kind: "allow_once" }],
    });
    expect(permission).toEqual({ outcome: { outcome: "selected", optionId: "only" } });
    const file = await peer.call("fs/read_text_file", { sessionId: "s", path: "/a" });
    expect(file).toEqual({ content: "text of /a" });
    await say("two");
    return { stopReason: "end_turn" };
  }

  const peer = new Peer(channel, {
    malformed: "answer",
    handlers: {
      request: (method, params, context) => {
        switch (method) {
          case "initialize":
            return { protocolVersion: 1, agentCapabilities: {}, authMethods: [] };
          case "session/new":
            return { sessionId: "s" };
          case "session/prompt":
            return prompt((params as { prompt: [{ text: unknown }] }).prompt[0].text, context);
          case "_report":
            resolveReport(params);
            return {};
          default:
            throw RpcError.methodNotFound(method);
        }
      },
    },
  });
  peers.push(peer);

  expect(await report).toEqual({
    protocolVersion: 1,
    first: { stopReason: "end_turn" },
    cancelled: { code: -32800 },
    unknownMethod: { code: -32601, message: expect.stringContaining("_no/such") as string },
    // The SDK drops the update that it does not know. We sent it, see below.
    seen: expect.arrayContaining(["one", "permission", "two"]) as unknown,
  });
  expect(written.some((line) => line.includes("hologram"))).toBe(true);
  expect(await peer.closed).toMatchObject({ kind: "exited", exit: { code: 0 } });
  expect(peer.stats).toEqual({ noise: 0, strayResponses: 0 });
});

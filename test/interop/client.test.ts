// Our peer as the client of an agent built with the official SDK, over a real pipe.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { client, ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openProcess } from "../../src/transport/wire/process/channel.ts";
import type { Channel } from "../../src/transport/wire/channel.ts";
import {
  channelFromStream,
  streamFromChannel,
} from "../../src/transport/wire/channels/web-stream.ts";
import {
  CallCancelledError,
  ConnectionError,
  RemoteError,
} from "../../src/transport/rpc/errors.ts";
import { Peer } from "../../src/transport/rpc/peer.ts";
import { tapped } from "../../src/transport/wire/recording/tap.ts";
import { agentPath } from "../support/agents/bundle.ts";

const AGENT = agentPath("sdk-agent.mjs");

interface Update {
  readonly sessionUpdate: string;
  readonly content?: { readonly type: string; readonly text?: string };
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function sdkAgent(): Promise<Channel> {
  const channel = await openProcess({ command: process.execPath, args: [AGENT] });
  closing.push(() => channel.close());
  return channel;
}

interface Turn {
  readonly events: string[];
  readonly updates: Update[];
  readonly peer: Peer;
  readonly prompt: (text: string, signal?: AbortSignal) => Promise<unknown>;
}

async function start(channel: Channel): Promise<Turn> {
  const events: string[] = [];
  const updates: Update[] = [];
  const peer = new Peer(channel, {
    handlers: {
      notification: (_, params) => {
        const { update } = params as { update: Update };
        updates.push(update);
        events.push(update.content?.text ?? update.sessionUpdate);
      },
      request: (method) => {
        events.push(method);
        return { outcome: { outcome: "selected", optionId: "yes" } };
      },
    },
  });
  await peer.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = (await peer.call("session/new", { cwd: "/", mcpServers: [] })) as {
    sessionId: string;
  };
  return {
    events,
    updates,
    peer,
    prompt: (text, signal) =>
      peer.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, { signal }),
  };
}

describe("our peer with an agent built with the SDK", () => {
  /** All turns share one agent, because it takes a second to start. */
  let turn: Turn;
  const lines: { direction: string; line: string }[] = [];
  let onLine = (): void => {};
  beforeAll(async () => {
    const channel = await openProcess({ command: process.execPath, args: [AGENT] });
    turn = await start(
      tapped(channel, (event) => {
        lines.push(event);
        onLine();
      }),
    );
  });
  beforeEach(() => {
    turn.events.length = 0;
    turn.updates.length = 0;
    lines.length = 0;
  });
  afterAll(() => turn.peer.close());

  it("sees every update in order and before the turn ends", async () => {
    const { prompt, events } = turn;
    const seenAtEnd = prompt("count").then((result) => [result, events.length]);
    expect(await seenAtEnd).toEqual([{ stopReason: "end_turn" }, 200]);
    expect(events.map(Number)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  it("sees a tool call before its permission request", async () => {
    await turn.prompt("ask");
    expect(turn.events).toEqual([
      "tool_call",
      "session/request_permission",
      '{"outcome":"selected","optionId":"yes"}',
    ]);
  });

  it("keeps updates of a later protocol version unchanged", async () => {
    await turn.prompt("future");
    expect(turn.updates).toEqual([
      { sessionUpdate: "hologram", beam: { on: true } },
      {
        sessionUpdate: "agent_message_chunk",
        content: { type: "smell", of: "coffee" },
        extra: 1,
      },
      {
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "T",
        kind: "teleport",
        status: "dreaming",
      },
    ]);
  });

  it("does not answer noise and does not lose the frame behind it", async () => {
    const before = turn.peer.stats.noise;
    await turn.prompt("noise");
    expect(turn.events).toEqual(["after the noise"]);
    expect(turn.peer.stats.noise - before).toBe(2);
    expect(lines.filter(({ direction }) => direction === "out")).toHaveLength(1);
  });

  it("cancels a call and ignores the response that still arrives", async () => {
    const answer = new Promise<string>((resolve) => {
      onLine = () => {
        const last = lines.at(-1);
        if (last?.direction === "in") resolve(last.line);
      };
    });
    const abort = new AbortController();
    const waiting = turn.prompt("wait", abort.signal);
    abort.abort();
    await expect(waiting).rejects.toBeInstanceOf(CallCancelledError);
    expect(JSON.parse(await answer)).toMatchObject({ error: { code: -32800 } });
    expect(await turn.prompt("count")).toEqual({ stopReason: "end_turn" });
  });

  it("gets the agent's error for an unknown method", async () => {
    const error: unknown = await turn.peer.call("_no/such").catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(RemoteError);
    expect(error).toMatchObject({ rpcCode: -32601, method: "_no/such" });
  });

  it("reports a crash with exit code and stderr", async () => {
    const error: unknown = await turn.prompt("crash").catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      method: "session/prompt",
      reason: { kind: "exited", exit: { code: 70 }, stderr: "out of memory\n" },
    });
  });
});

describe("the SDK's own stream", () => {
  it("carries our peer through channelFromStream and reports the end of the agent", async () => {
    const child = spawn(process.execPath, [AGENT], { stdio: ["pipe", "pipe", "ignore"] });
    closing.push(() => child.kill("SIGKILL"));
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin),
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    const { prompt, events } = await start(channelFromStream(stream));
    await prompt("count");
    expect(events.map(Number)).toEqual(Array.from({ length: 200 }, (_, n) => n));
    await prompt("ask");
    expect(events.slice(200, 202)).toEqual(["tool_call", "session/request_permission"]);
    await expect(prompt("crash")).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe("our channel", () => {
  it("carries the SDK's client through streamFromChannel and filters noise that it would answer", async () => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    const seen: string[] = [];
    const app = client({ name: "test" })
      .onNotification("session/update", ({ params }) => {
        const update = params.update as Update;
        seen.push(update.content?.text ?? update.sessionUpdate);
      })
      .onRequest("session/request_permission", () => ({
        outcome: { outcome: "selected", optionId: "yes" },
      }));
    const sent: string[] = [];
    const channel = tapped(await sdkAgent(), ({ direction, line }) => {
      if (direction === "out") sent.push(line);
    });
    const stream: Stream = streamFromChannel(channel);
    await app.connectWith(stream, async (agent) => {
      await agent.request("initialize", { protocolVersion: 1 });
      const { sessionId } = await agent.request("session/new", { cwd: "/", mcpServers: [] });
      for (const text of ["ask", "noise", "future"]) {
        await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
      }
    });
    expect(seen).toContain('{"outcome":"selected","optionId":"yes"}');
    expect(seen).toContain("after the noise");
    expect(sent.filter((line) => line.includes("-32700"))).toEqual([]);
    // The SDK drops an update that it does not know. Our peer keeps it.
    expect(seen).not.toContain("hologram");
    expect(errors).toHaveBeenCalled();
    errors.mockRestore();
  });
});

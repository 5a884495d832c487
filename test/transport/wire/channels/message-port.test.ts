import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import { ChannelClosedError, type Channel } from "../../../../src/transport/wire/channel.ts";
import { UnreadLimitError } from "../../../../src/transport/wire/channels/queued-channel.ts";
import {
  messagePortChannel,
  MessagePortError,
  type MessagePortChannelOptions,
} from "../../../../src/transport/wire/channels/message-port.ts";
import { LineTooLongError } from "../../../../src/transport/wire/lines/limit.ts";
import { bundleOf } from "../../../support/agents/bundle.ts";

/** A channel over one port; the test uses the other one itself. */
function opened(options?: MessagePortChannelOptions): {
  channel: Channel;
  far: MessagePort;
  lines: string[];
} {
  const { port1, port2 } = new MessageChannel();
  const channel = messagePortChannel(port1, options);
  onTestFinished(async () => {
    port2.close();
    await channel.close();
  });
  const lines: string[] = [];
  channel.open((line) => lines.push(line));
  return { channel, far: port2, lines };
}

describe("a channel over a message port", () => {
  it.each([
    ["a message", ['{"a":1}'], ['{"a":1}']],
    ["a message on several lines", ['{\n "a": 1\r\n}'], ['{  "a": 1 }']],
    ["an empty message", ["", "\n"], []],
    ["text that is not a message", ["hello"], ["hello"]],
  ])("turns %s into a line, or drops it", async (_, messages, expected) => {
    const { channel, far, lines } = opened();
    for (const message of messages) far.postMessage(message, []);
    far.postMessage(null, []);
    expect(await channel.closed).toEqual({ kind: "ended" });
    expect(lines).toEqual(expected);
  });

  it.each([
    ["an object", { a: 1 }, MessagePortError],
    ["bytes", new Uint8Array(3), MessagePortError],
    ["progress that makes no sense", -1, MessagePortError],
    ["a line over the limit", "x".repeat(11), LineTooLongError],
  ])("fails on %s, after the lines before it", async (_, message, type) => {
    const { channel, far, lines } = opened({ maxLineBytes: 10 });
    const farEnd = once(far, "message");
    for (const each of ["1", "2", message, "3"]) far.postMessage(each, []);
    expect(await channel.closed).toMatchObject({
      kind: "failed",
      error: expect.any(type) as Error,
    });
    expect(lines).toEqual(["1", "2"]);
    expect(await farEnd).toEqual([null]);
    await expect(channel.send("{}")).rejects.toBeInstanceOf(ChannelClosedError);
  });

  it("fails when the other side sends too much although nothing is read", async () => {
    const { channel, far } = opened({ maxUnreadBytes: 150 });
    channel.pause();
    for (let n = 0; n < 3; n++) far.postMessage("1234567890", []);
    const reason = await channel.closed;
    expect(reason.kind === "failed" && reason.error).toBeInstanceOf(UnreadLimitError);
  });

  it("ends when the other port is closed without a last message", async () => {
    const { channel, far, lines } = opened();
    far.postMessage("1", []);
    far.close();
    expect(await channel.closed).toEqual({ kind: "ended" });
    expect(lines).toEqual(["1"]);
  });

  it("keeps the lines of a sender that does not wait, and sends them in order", async () => {
    const { port1, port2 } = new MessageChannel();
    const near = messagePortChannel(port1);
    const far = messagePortChannel(port2, { maxUnreadBytes: 2 * 1024 * 1024 });
    onTestFinished(async () => void (await near.close()));
    const line = "x".repeat(100_000);
    const sent = Array.from({ length: 100 }, (_, n) => near.send(`${n} ${line}`));
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    const lines: number[] = [];
    far.open((text) => lines.push(Number.parseInt(text, 10)));
    await Promise.all(sent);
    await near.send("100");
    void near.close();
    expect(await far.closed).toEqual({ kind: "ended" });
    expect(lines).toEqual(Array.from({ length: 101 }, (_, n) => n));
  });

  it("never has too many tiny lines under way", async () => {
    const { port1, port2 } = new MessageChannel();
    const near = messagePortChannel(port1);
    const far = messagePortChannel(port2, { maxUnreadBytes: 2 * 1024 * 1024 });
    onTestFinished(async () => void (await near.close()));
    const sent = Array.from({ length: 100_000 }, () => near.send("1"));
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    let count = 0;
    far.open(() => count++);
    await Promise.all(sent);
    void near.close();
    expect(await far.closed).toEqual({ kind: "ended" });
    expect(count).toBe(100_000);
  });

  it("connects a thread, and ends when the thread is ended", async () => {
    const library = await bundleOf("src/entries/wire.ts");
    onTestFinished(() => library.remove());
    const { port1, port2 } = new MessageChannel();
    const code = `
      const { workerData } = require("node:worker_threads");
      import(workerData.library).then(({ messagePortChannel }) => {
        const channel = messagePortChannel(workerData.port);
        channel.open((line) => channel.send("echo " + line));
      });`;
    const worker = new Worker(code, {
      eval: true,
      workerData: { library: library.url, port: port2 },
      transferList: [port2],
    });
    const channel = messagePortChannel(port1);
    const echoed = new Promise<string>((resolve) => channel.open(resolve));
    await channel.send("1");
    expect(await echoed).toBe("echo 1");
    await worker.terminate();
    expect(await channel.closed).toEqual({ kind: "ended" });
  });
});

import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { memoryPair } from "../../../../src/transport/wire/channels/memory.ts";
import { StreamChannel } from "../../../../src/transport/wire/channels/stream.ts";
import {
  byteStreamChannel,
  channelFromStream,
  streamFromChannel,
  type MessageStream,
} from "../../../../src/transport/wire/channels/web-stream.ts";

const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as unknown;

/** A stream that yields the given messages and collects the ones written to it. */
function streamOf(...messages: readonly unknown[]): MessageStream & { written: unknown[] } {
  const written: unknown[] = [];
  return {
    readable: new ReadableStream({
      start: (controller) => {
        for (const message of messages) controller.enqueue(message);
        controller.close();
      },
    }),
    writable: new WritableStream({ write: (message) => void written.push(message) }),
    written,
  };
}

describe("a channel made from a stream", () => {
  it("delivers each message as one line, and an empty line for a message that is not valid JSON", async () => {
    const channel = channelFromStream(streamOf({ a: 1 }, undefined, { big: 1n }, deep, { b: 2 }));
    const lines: string[] = [];
    channel.open((line) => lines.push(line));
    expect(await channel.closed).toEqual({ kind: "ended" });
    expect(lines).toEqual(['{"a":1}', "", "", "", '{"b":2}']);
  });

  it("writes each line as one message", async () => {
    const stream = streamOf();
    const channel = channelFromStream(stream);
    await channel.send('{"a":[1,null]}');
    expect(stream.written).toEqual([{ a: [1, null] }]);
    await expect(channel.send("not JSON")).rejects.toBeInstanceOf(SyntaxError);
    await channel.close();
  });

  it.each([
    ["readable", "reading failed"],
    ["writable", "writing failed"],
  ])("fails with the error of its %s side", async (side, message) => {
    const broken = new Error(message);
    const channel = channelFromStream({
      readable: new ReadableStream({
        start: (controller) => {
          if (side === "readable") controller.error(broken);
        },
      }),
      writable: new WritableStream({
        start: (controller) => {
          if (side === "writable") controller.error(broken);
        },
      }),
    });
    channel.open(() => {});
    expect(await channel.closed).toEqual({ kind: "failed", error: broken });
    await expect(channel.send("{}")).rejects.toThrow("closed");
  });
});

describe("a channel over web streams of bytes", () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

  it("splits bytes into lines and writes lines as bytes", async () => {
    const written: string[] = [];
    const channel = byteStreamChannel({
      readable: new ReadableStream({
        start: (controller) => {
          for (const chunk of ['{"a":"', '€"}\r\n\n{"b"', ":1}"]) controller.enqueue(encode(chunk));
          controller.close();
        },
      }),
      writable: new WritableStream({
        write: (chunk) => void written.push(new TextDecoder().decode(chunk)),
      }),
    });
    const lines: string[] = [];
    await channel.send('{"c":"é"}');
    channel.open((line) => lines.push(line));
    expect(await channel.closed).toEqual({ kind: "ended" });
    expect(lines).toEqual(['{"a":"€"}', '{"b":1}']);
    expect(written).toEqual(['{"c":"é"}\n']);
  });

  it("fails on a line over its limit", async () => {
    const channel = byteStreamChannel(
      {
        readable: new ReadableStream({ start: (to) => to.enqueue(encode("123456")) }),
        writable: new WritableStream(),
      },
      { maxLineBytes: 5 },
    );
    channel.open(() => {});
    expect(await channel.closed).toMatchObject({ kind: "failed", error: { limit: 5 } });
  });
});

describe("a stream made from a channel", () => {
  it("drops lines without a message, and skips text before a message", async () => {
    const [near, far] = memoryPair();
    const { readable } = streamFromChannel(near);
    for (const line of ["noise", "[1]", "7", 'half {"jsonrpc":"2.0","a":1}', '{"b":2}']) {
      void far.send(line);
    }
    void far.close();
    const messages: unknown[] = [];
    for await (const message of readable) messages.push(message);
    expect(messages).toEqual([{ jsonrpc: "2.0", a: 1 }, { b: 2 }]);
  });

  it("pauses the channel while no reader asks for messages", async () => {
    const [near, far] = memoryPair();
    const { readable } = streamFromChannel(near);
    let sent = 0;
    const sending = (async () => {
      for (; sent < 2000; sent++) await far.send(JSON.stringify({ sent }));
    })();
    let before = -1;
    while (sent !== before) {
      before = sent;
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(1000);
    const reader = readable.getReader();
    for (let n = 0; n < 2000; n++) expect((await reader.read()).value).toEqual({ sent: n });
    await sending;
    await reader.cancel();
    expect(await near.closed).toEqual({ kind: "closed" });
  });

  it("ends when the channel ends, and then rejects writes", async () => {
    const [near, far] = memoryPair();
    const { readable, writable } = streamFromChannel(near);
    await far.close();
    expect(await readable.getReader().read()).toMatchObject({ done: true });
    await expect(writable.getWriter().write({})).rejects.toThrow("closed");
  });

  it("errors when the channel fails", async () => {
    const input = new PassThrough();
    const { readable } = streamFromChannel(new StreamChannel(input, new PassThrough()));
    const broken = new Error("reading failed");
    input.destroy(broken);
    await expect(readable.getReader().read()).rejects.toBe(broken);
  });

  it.each(["close", "abort"] as const)(
    "closes the channel on %s of its writable side",
    async (how) => {
      const [near] = memoryPair();
      const { writable } = streamFromChannel(near);
      await writable.getWriter()[how]();
      expect(await near.closed).toEqual({ kind: "closed" });
    },
  );
});

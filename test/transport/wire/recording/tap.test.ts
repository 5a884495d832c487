import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { memoryPair } from "../../../../src/transport/wire/channels/memory.ts";
import { tapped, type TapEvent } from "../../../../src/transport/wire/recording/tap.ts";

describe("a tap", () => {
  it("sees the exact lines of both directions, in order, with their time and direction", async () => {
    const [near, far] = memoryPair();
    const seen: TapEvent[] = [];
    const before = Date.now();
    const channel = tapped(near, (event) => seen.push(event));
    const received: string[] = [];
    const farReceived: string[] = [];
    channel.open((line) => received.push(line));
    far.open((line) => {
      farReceived.push(line);
      void far.send(` ${line} , "\\u00e9" `);
    });
    await channel.send("noise, not JSON");
    await channel.send('{"a" : 1}');
    while (received.length < 2) await new Promise(setImmediate);
    await far.close();
    await channel.closed;

    expect(farReceived).toEqual(["noise, not JSON", '{"a" : 1}']);
    expect(seen.map(({ direction, line }) => [direction, line])).toEqual([
      ["out", "noise, not JSON"],
      ["out", '{"a" : 1}'],
      ["in", ' noise, not JSON , "\\u00e9" '],
      ["in", ' {"a" : 1} , "\\u00e9" '],
    ]);
    expect(received).toEqual(seen.slice(2).map(({ line }) => line));
    for (const { at } of seen) {
      expect(at).toBeGreaterThanOrEqual(before);
      expect(at).toBeLessThanOrEqual(Date.now());
    }
  });

  it("sees a line before the receiver does", async () => {
    const [near, far] = memoryPair();
    const order: string[] = [];
    const channel = tapped(near, () => order.push("tap"));
    const done = new Promise<void>((resolve) => {
      channel.open(() => {
        order.push("receiver");
        resolve();
      });
    });
    void far.send("x");
    await done;
    expect(order).toEqual(["tap", "receiver"]);
  });

  const failing: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new Error("tap");
      },
    ],
    ["rejects", () => Promise.reject(new Error("tap"))],
    ["never settles", () => new Promise(() => {})],
    // A promise from another realm is not an instance of this realm's Promise.
    ["rejects in another realm", () => runInNewContext("Promise.reject(new Error('tap'))")],
  ];
  it.each(failing)("that %s does not break the connection", async (_, tap) => {
    const [near, far] = memoryPair();
    const channel = tapped(near, tap);
    const received = new Promise<string>((resolve) => channel.open(resolve));
    const farReceived = new Promise<string>((resolve) => far.open(resolve));
    await channel.send("there");
    await far.send("back");
    expect(await farReceived).toBe("there");
    expect(await received).toBe("back");
    expect(await channel.close()).toEqual({ kind: "closed" });
    expect(await far.closed).toEqual({ kind: "ended" });
  });
});

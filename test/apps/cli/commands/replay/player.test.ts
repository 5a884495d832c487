// A client that does not read must not make the player fill its memory.
import { describe, expect, it } from "vitest";
import { Player, stepsOf } from "../../../../../src/apps/cli/commands/replay/player.ts";
import {
  memoryPair,
  type Channel,
  type RecordedLine,
} from "../../../../../src/transport/wire/index.ts";

const COUNT = 5000;

/** Counts the lines that are sent. */
function counted(channel: Channel): { readonly channel: Channel; readonly sent: () => number } {
  let count = 0;
  const counting: Channel = {
    open: (receive) => channel.open(receive),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => channel.close(),
    closed: channel.closed,
    send: (line) => {
      count++;
      return channel.send(line);
    },
  };
  return { channel: counting, sent: () => count };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

describe("a recording that is played to a client that does not read", () => {
  function play(lines: readonly RecordedLine[]) {
    const [near, far] = memoryPair();
    const { channel, sent } = counted(near);
    let read = 0;
    far.open(() => read++);
    far.pause();
    const playing = new Player(channel, stepsOf(lines), { stepMs: 10_000, realtime: false }).play();
    return { far, sent, playing, read: () => read };
  }

  it("waits, and goes on when the client reads", async () => {
    const update = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: {} });
    const lines = Array.from({ length: COUNT }, (_, ms) => ({
      ms,
      direction: "in" as const,
      line: update,
    }));
    const { far, sent, playing, read } = play(lines);
    await settled();
    expect(sent()).toBeLessThan(500);
    far.resume();
    await expect.poll(read, { timeout: 10_000 }).toBe(COUNT);
    await far.close();
    await playing;
  });

  it("does not read more calls than it can answer", async () => {
    const { far, sent, playing, read } = play([]);
    for (let id = 0; id < COUNT; id++)
      void far.send(JSON.stringify({ jsonrpc: "2.0", id, method: "session/list" }));
    await settled();
    expect(sent()).toBeLessThan(1000);
    far.resume();
    await expect.poll(read, { timeout: 10_000 }).toBe(COUNT);
    await far.close();
    await playing;
  });
});

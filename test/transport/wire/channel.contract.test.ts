// The contract that every kind of channel fulfils.
import { afterEach, describe, expect, it } from "vitest";
import { ChannelClosedError, type Channel } from "../../../src/transport/wire/channel.ts";
import { rigKinds, type Rig } from "./rigs.ts";

const line = (n: number, fill = ""): string => JSON.stringify({ n, fill });
const numbers = (lines: readonly string[]): number[] =>
  lines.map((text) => (JSON.parse(text) as { n: number }).n);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Lets the event loop deliver everything that has been written so far. */
async function deliver(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

/** Whether a promise is still pending after everything that could settle it has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  await deliver();
  return !settled;
}

describe.each(rigKinds)("a $name", (kind) => {
  const opened: Channel[] = [];
  const use = async (rig: Promise<Rig>): Promise<Rig> => {
    const made = await rig;
    opened.push(made.channel);
    return made;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((channel) => channel.close()));
  });

  /** Opens a channel and collects the lines it receives. */
  function gather(channel: Channel): { lines: string[]; until(count: number): Promise<string[]> } {
    const lines: string[] = [];
    let wake = (): void => {};
    channel.open((text) => {
      lines.push(text);
      wake();
    });
    return {
      lines,
      until: async (count) => {
        while (lines.length < count) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        return lines;
      },
    };
  }

  it("carries lines both ways, in order and unchanged", async () => {
    const { channel } = await use(kind.echoing());
    const sent = [
      ...upTo(300).map((n) => line(n)),
      line(300, 'é € 😀 \u2028 \\ "quoted"'),
      line(301, "x".repeat(300_000)),
      line(302),
    ];
    const got = gather(channel);
    for (const text of sent) await channel.send(text);
    expect(await got.until(sent.length)).toEqual(sent);
  });

  it("keeps lines that arrive before it is opened", async () => {
    const { channel, farSend } = await use(kind.echoing());
    await farSend(line(0), line(1));
    await deliver();
    expect(numbers(await gather(channel).until(2))).toEqual([0, 1]);
  });

  it("cannot be opened twice", async () => {
    const { channel } = await use(kind.echoing());
    channel.open(() => {});
    expect(() => channel.open(() => {})).toThrow("already open");
  });

  it("delivers every line the far side sent before it left, and only then closes", async () => {
    const { channel, farSend, farLeave, kindAfterLeave } = await use(kind.echoing());
    const got = gather(channel);
    const linesAtClose = channel.closed.then((reason) => [reason.kind, got.lines.length]);
    void farSend(...upTo(200).map((n) => line(n)));
    void farLeave();
    expect(await linesAtClose).toEqual([kindAfterLeave, 200]);
    expect(numbers(got.lines)).toEqual(upTo(200));
  });

  it("delivers the lines of a far side that left before the channel was opened", async () => {
    const { channel, farSend, farLeave, kindAfterLeave } = await use(kind.echoing());
    void farSend(line(0), line(1));
    await farLeave();
    await deliver();
    const got = gather(channel);
    expect((await channel.closed).kind).toBe(kindAfterLeave);
    expect(numbers(got.lines)).toEqual([0, 1]);
  });

  it("closes once and reports the same reason every time", async () => {
    const { channel } = await use(kind.echoing());
    channel.open(() => {});
    const reasons = await Promise.all([channel.close(), channel.close(), channel.closed]);
    expect(reasons.map(({ kind: why }) => why)).toEqual(["closed", "closed", "closed"]);
    expect(await channel.close()).toBe(reasons[0]);
    expect(await channel.closed).toBe(reasons[0]);
  });

  it("can be closed before it is opened", async () => {
    const { channel } = await use(kind.echoing());
    expect((await channel.close()).kind).toBe("closed");
  });

  it("delivers no more lines after a call to close", async () => {
    const { channel, farSend } = await use(kind.echoing());
    const lines: string[] = [];
    const reason = new Promise((resolve) => {
      channel.open((text) => {
        lines.push(text);
        if (lines.length === 1) resolve(channel.close());
      });
    });
    void farSend(...upTo(50).map((n) => line(n)));
    expect(await reason).toMatchObject({ kind: "closed" });
    expect(numbers(lines)).toEqual([0]);
  });

  it("rejects lines sent after close, and never as an unhandled rejection", async () => {
    const { channel } = await use(kind.echoing());
    channel.open(() => {});
    const closing = channel.close();
    void channel.send(line(0));
    await expect(channel.send(line(1))).rejects.toBeInstanceOf(ChannelClosedError);
    await closing;
    void channel.send(line(2));
    await expect(channel.send(line(3))).rejects.toBeInstanceOf(ChannelClosedError);
    // Node reports unhandled rejections before the next turn, which would fail the run.
    await new Promise(setImmediate);
  });

  it("still delivers a line that was sent right before close", async () => {
    const { channel, farReceived } = await use(kind.echoing());
    channel.open(() => {});
    void channel.send(line(0));
    void channel.close();
    expect(await farReceived).toBe(line(0));
  });

  describe("whose far side does not read", () => {
    /** Sends until the pipe is full. Returns the promises that stay pending. */
    async function fill(channel: Channel): Promise<Promise<void>[]> {
      const big = line(0, "x".repeat(64 * 1024));
      for (let count = 0; count < 2000; count++) {
        const sent = channel.send(big);
        if (await isPending(sent)) return [sent, channel.send(big)];
      }
      throw new Error("the channel accepted 2000 lines although the far side reads none");
    }

    it("makes the sender wait, and rejects its lines on close", async () => {
      const { channel } = await use(kind.notReading());
      channel.open(() => {});
      const waiting = await fill(channel);
      const closing = channel.close();
      const outcomes = await Promise.allSettled(waiting);
      expect(outcomes.map((one) => one.status === "rejected" && one.reason)).toEqual([
        expect.any(ChannelClosedError),
        expect.any(ChannelClosedError),
      ]);
      expect((await closing).kind).toBe("closed");
    });

    it("stops the sender from waiting when the far side dies", async () => {
      const { channel, farLeave, kindAfterLeave } = await use(kind.notReading());
      channel.open(() => {});
      const waiting = await fill(channel);
      void farLeave();
      await Promise.allSettled(waiting);
      expect((await channel.closed).kind).toBe(kindAfterLeave);
      await expect(channel.send(line(0))).rejects.toBeInstanceOf(ChannelClosedError);
    });
  });

  describe("that is paused", () => {
    it("delivers no lines that arrive later until it is resumed", async () => {
      const { channel, farSend } = await use(kind.echoing());
      const got = gather(channel);
      await farSend(line(0));
      await got.until(1);
      channel.pause();
      // A message that is already being read may still be delivered.
      await farSend(line(1));
      await deliver();
      const before = got.lines.length;
      await farSend(...upTo(30).map((n) => line(n + 2)));
      await deliver();
      expect(got.lines.length).toBeLessThanOrEqual(before + 1);
      channel.resume();
      expect(numbers(await got.until(32))).toEqual(upTo(32));
    });

    it.each([
      ["paused before it is opened and resumed after", ["pause", "open", "resume"]],
      ["paused and resumed before it is opened", ["pause", "resume", "open"]],
      ["paused, resumed and paused again", ["open", "pause", "resume", "pause", "resume"]],
      ["resumed without a pause", ["resume", "open", "resume"]],
    ])("delivers its lines when %s", async (_, steps) => {
      const { channel, farSend } = await use(kind.echoing());
      const lines: string[] = [];
      const arrived = new Promise<void>((resolve) => {
        for (const step of steps) {
          if (step === "pause") channel.pause();
          else if (step === "resume") channel.resume();
          else
            channel.open((text) => {
              lines.push(text);
              if (lines.length === 2) resolve();
            });
        }
      });
      void farSend(line(0), line(1));
      await arrived;
      expect(numbers(lines)).toEqual([0, 1]);
    });

    it("can be closed", async () => {
      const { channel, farSend } = await use(kind.echoing());
      channel.open(() => {});
      channel.pause();
      await farSend(...upTo(20).map((n) => line(n)));
      expect((await channel.close()).kind).toBe("closed");
      // A closed channel ignores both.
      channel.pause();
      channel.resume();
    });

    it("reports the end only after the lines before it", async () => {
      const { channel, farSend, farLeave, kindAfterLeave } = await use(kind.echoing());
      const got = gather(channel);
      channel.pause();
      void farSend(...upTo(100).map((n) => line(n)));
      await farLeave();
      expect(await isPending(channel.closed)).toBe(true);
      channel.resume();
      expect((await channel.closed).kind).toBe(kindAfterLeave);
      expect(numbers(got.lines)).toEqual(upTo(100));
    });
  });

  it("fails with the error of a receiver that throws", async () => {
    const { channel, farSend } = await use(kind.echoing());
    const broken = new Error("receiver");
    channel.open(() => {
      throw broken;
    });
    void farSend(line(0), line(1));
    expect(await channel.closed).toMatchObject({ kind: "failed", error: broken });
  });
});

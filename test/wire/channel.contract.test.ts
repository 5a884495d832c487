// What every channel promises, whatever stands behind it.
import { afterEach, describe, expect, it } from "vitest";
import { ChannelClosedError, type Channel } from "../../src/wire/channel.ts";
import { rigKinds, type Rig } from "./rigs.ts";

const line = (n: number, fill = ""): string => JSON.stringify({ n, fill });
const numbers = (lines: readonly string[]): number[] =>
  lines.map((text) => (JSON.parse(text) as { n: number }).n);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Whether a promise is still open after everything that could settle it by itself has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
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

  /** Opens a channel and gathers what it receives. */
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

  it("keeps lines that came before it was opened", async () => {
    const { channel, say } = await use(kind.echoing());
    say(line(0), line(1));
    await isPending(channel.closed);
    expect(numbers(await gather(channel).until(2))).toEqual([0, 1]);
  });

  it("refuses to be opened twice", async () => {
    const { channel } = await use(kind.echoing());
    channel.open(() => {});
    expect(() => channel.open(() => {})).toThrow("open already");
  });

  it("hands over every line the far side said before it left, and only then is closed", async () => {
    const { channel, say, leave, leaving } = await use(kind.echoing());
    const got = gather(channel);
    say(...upTo(200).map((n) => line(n)));
    leave();
    const seenAtClose = channel.closed.then((reason) => [reason.kind, got.lines.length]);
    expect(await seenAtClose).toEqual([leaving, 200]);
    expect(numbers(got.lines)).toEqual(upTo(200));
  });

  it("hands over what was said by a far side that left before it was opened", async () => {
    const { channel, say, leave, leaving } = await use(kind.echoing());
    say(line(0), line(1));
    leave();
    // Long enough for a process to be gone, not long enough to matter.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const got = gather(channel);
    expect((await channel.closed).kind).toBe(leaving);
    expect(numbers(got.lines)).toEqual([0, 1]);
  });

  it("is closed once: the same reason for everybody who asks, however often", async () => {
    const { channel } = await use(kind.echoing());
    channel.open(() => {});
    const reasons = await Promise.all([channel.close(), channel.close(), channel.closed]);
    expect(reasons.map(({ kind: why }) => why)).toEqual(["closed", "closed", "closed"]);
    expect(await channel.close()).toBe(reasons[0]);
    expect(await channel.closed).toBe(reasons[0]);
  });

  it("can be closed before it was opened", async () => {
    const { channel } = await use(kind.echoing());
    expect((await channel.close()).kind).toBe("closed");
  });

  it("hands over nothing more once it was told to close", async () => {
    const { channel, say } = await use(kind.echoing());
    const lines: string[] = [];
    const reason = new Promise((resolve) => {
      channel.open((text) => {
        lines.push(text);
        if (lines.length === 1) resolve(channel.close());
      });
    });
    say(...upTo(50).map((n) => line(n)));
    expect(await reason).toMatchObject({ kind: "closed" });
    expect(numbers(lines)).toEqual([0]);
  });

  it("rejects what is sent after close, and nobody has to look", async () => {
    const { channel } = await use(kind.echoing());
    channel.open(() => {});
    const closing = channel.close();
    void channel.send(line(0));
    await expect(channel.send(line(1))).rejects.toBeInstanceOf(ChannelClosedError);
    await closing;
    void channel.send(line(2));
    await expect(channel.send(line(3))).rejects.toBeInstanceOf(ChannelClosedError);
    await new Promise(setImmediate);
  });

  it("sends what was sent right before close", async () => {
    const { channel } = await use(kind.echoing());
    const got = gather(channel);
    void channel.send(line(0));
    await got.until(1);
    await channel.close();
    expect(numbers(got.lines)).toEqual([0]);
  });

  describe("whose far side does not read", () => {
    /** Sends until the pipe is full; returns the promises that then stay open. */
    async function fill(channel: Channel): Promise<Promise<void>[]> {
      const big = line(0, "x".repeat(64 * 1024));
      for (let count = 0; count < 2000; count++) {
        const sent = channel.send(big);
        if (await isPending(sent)) return [sent, channel.send(big)];
      }
      throw new Error("the channel took 2000 lines that nobody read");
    }

    it("keeps the sender waiting, and lets it go on close", async () => {
      const { channel } = await use(kind.deaf());
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

    it("lets the sender go when the far side dies", async () => {
      const { channel, leave, leaving } = await use(kind.deaf());
      channel.open(() => {});
      const waiting = await fill(channel);
      leave();
      await Promise.allSettled(waiting);
      expect(["failed", leaving]).toContain((await channel.closed).kind);
      await expect(channel.send(line(0))).rejects.toBeInstanceOf(ChannelClosedError);
    });
  });

  describe("that is paused", () => {
    it("hands over nothing that comes later, until it is resumed", async () => {
      const { channel, say } = await use(kind.echoing());
      const got = gather(channel);
      say(line(0));
      await got.until(1);
      channel.pause();
      // A message that was being read already may still come.
      say(line(1));
      await isPending(channel.closed);
      const before = got.lines.length;
      say(...upTo(30).map((n) => line(n + 2)));
      await isPending(channel.closed);
      expect(got.lines.length).toBeLessThanOrEqual(before + 1);
      channel.resume();
      expect(numbers(await got.until(32))).toEqual(upTo(32));
    });

    it.each([
      ["paused before it is opened and resumed after", ["pause", "open", "resume"]],
      ["paused and resumed before it is opened", ["pause", "resume", "open"]],
      ["paused, resumed and paused again", ["open", "pause", "resume", "pause", "resume"]],
      ["resumed without a pause", ["resume", "open", "resume"]],
    ])("and was %s still delivers", async (_, steps) => {
      const { channel, say } = await use(kind.echoing());
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
      say(line(0), line(1));
      await arrived;
      expect(numbers(lines)).toEqual([0, 1]);
    });

    it("can be closed", async () => {
      const { channel, say } = await use(kind.echoing());
      channel.open(() => {});
      channel.pause();
      say(...upTo(20).map((n) => line(n)));
      expect((await channel.close()).kind).toBe("closed");
      channel.pause();
      channel.resume();
    });

    it("learns of the end after the lines before it", async () => {
      const { channel, say, leave, leaving } = await use(kind.echoing());
      const got = gather(channel);
      channel.pause();
      say(...upTo(100).map((n) => line(n)));
      leave();
      expect(await isPending(channel.closed)).toBe(true);
      channel.resume();
      expect((await channel.closed).kind).toBe(leaving);
      expect(numbers(got.lines)).toEqual(upTo(100));
    });
  });

  it("fails with the error of a receiver that throws, and breaks nothing else", async () => {
    const { channel, say } = await use(kind.echoing());
    const broken = new Error("receiver");
    channel.open(() => {
      throw broken;
    });
    say(line(0), line(1));
    expect(await channel.closed).toMatchObject({ kind: "failed", error: broken });
  });
});

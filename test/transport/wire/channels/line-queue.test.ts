import { describe, expect, it } from "vitest";
import {
  LINE_OVERHEAD,
  LineQueue,
  UnreadLimitError,
} from "../../../../src/transport/wire/channels/line-queue.ts";

function queueWith(limit = 1000): { queue: LineQueue; lines: string[]; failures: Error[] } {
  const failures: Error[] = [];
  return { queue: new LineQueue(limit, (error) => failures.push(error)), lines: [], failures };
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("a line queue", () => {
  it("delivers at once when it is open, running and empty", () => {
    const { queue, lines } = queueWith();
    queue.open((line) => lines.push(line));
    queue.push("1");
    expect(lines).toEqual(["1"]);
  });

  it("keeps the order when a receiver pauses in the middle", async () => {
    const { queue, lines } = queueWith();
    for (const line of ["1", "2", "3"]) queue.push(line);
    queue.open((line) => {
      lines.push(line);
      if (line === "2") queue.pause();
    });
    await settled();
    queue.push("4");
    expect(lines).toEqual(["1", "2"]);
    queue.resume();
    queue.push("5");
    await settled();
    expect(lines).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("ends once, after the waiting lines", async () => {
    const { queue, lines } = queueWith();
    let ends = 0;
    queue.push("1");
    queue.end(() => ends++);
    queue.push("2");
    await settled();
    expect(ends).toBe(0);
    queue.open((line) => lines.push(line));
    await settled();
    queue.resume();
    await settled();
    expect(lines).toEqual(["1"]);
    expect(ends).toBe(1);
  });

  it("fails once when too much waits, and frees it", () => {
    const limit = 2 * (LINE_OVERHEAD + 1);
    const { queue, failures } = queueWith(limit);
    for (const line of ["1", "2"]) queue.push(line);
    expect(failures).toEqual([]);
    for (const line of ["3", "4"]) queue.push(line);
    expect(failures).toEqual([expect.any(UnreadLimitError)]);
    expect(failures[0]).toMatchObject({ limit });
  });

  it("reports a receiver that throws, and delivers nothing more", async () => {
    const { queue, failures, lines } = queueWith();
    const broken = new Error("receiver");
    queue.push("1");
    queue.push("2");
    queue.open((line) => {
      lines.push(line);
      throw broken;
    });
    await settled();
    queue.push("3");
    expect(lines).toEqual(["1"]);
    expect(failures).toEqual([broken]);
  });

  it("delivers nothing after discard", async () => {
    const { queue, lines } = queueWith();
    queue.push("1");
    queue.open((line) => lines.push(line));
    queue.discard();
    queue.end(() => lines.push("end"));
    await settled();
    expect(lines).toEqual([]);
  });

  it("counts each line that was delivered", async () => {
    const sizes: number[] = [];
    const queue = new LineQueue(
      100,
      () => {},
      (size) => sizes.push(size),
    );
    queue.push("12");
    queue.open(() => {});
    await settled();
    queue.push("345");
    expect(sizes).toEqual([2, 3]);
  });
});

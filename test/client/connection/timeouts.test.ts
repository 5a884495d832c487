import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Deadline, Deadlines } from "../../../src/client/connection/timeouts.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a deadline", () => {
  it("expires once, after its time", () => {
    const ring = vi.fn<() => void>();
    void new Deadline(100, ring);
    vi.advanceTimersByTime(99);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  it("restarts when touched", () => {
    const ring = vi.fn<() => void>();
    const deadline = new Deadline(100, ring);
    for (let n = 0; n < 10; n++) {
      vi.advanceTimersByTime(60);
      deadline.touch();
    }
    vi.advanceTimersByTime(99);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  it("is paused until every pause is resumed", () => {
    const ring = vi.fn<() => void>();
    const deadline = new Deadline(100, ring);
    vi.advanceTimersByTime(70);
    deadline.pause();
    deadline.pause();
    vi.advanceTimersByTime(1000);
    deadline.resume();
    vi.advanceTimersByTime(1000);
    expect(ring).not.toHaveBeenCalled();
    deadline.resume();
    vi.advanceTimersByTime(29);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(ring).toHaveBeenCalledTimes(1);
  });

  it("never expires after it was stopped, not even when resumed", () => {
    const ring = vi.fn<() => void>();
    const deadline = new Deadline(100, ring);
    deadline.pause();
    deadline.stop();
    deadline.resume();
    vi.advanceTimersByTime(1000);
    expect(ring).not.toHaveBeenCalled();
  });

  it("supports a limit longer than any timer", () => {
    const ring = vi.fn<() => void>();
    void new Deadline(2 ** 31 + 1000, ring);
    vi.advanceTimersByTime(2 ** 31 - 1);
    expect(ring).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1001);
    expect(ring).toHaveBeenCalledTimes(1);
  });
});

describe("deadlines", () => {
  it.each([0, Number.POSITIVE_INFINITY, -1, Number.NaN])("treat %s as no limit", (ms) => {
    expect(new Deadlines().start(ms, () => {})).toBeUndefined();
  });

  it("pause together, including those that start meanwhile", () => {
    const ring = vi.fn<() => void>();
    const limits = new Deadlines();
    limits.start(100, ring);
    limits.pause();
    limits.start(100, ring);
    vi.advanceTimersByTime(1000);
    expect(ring).not.toHaveBeenCalled();
    limits.resume();
    vi.advanceTimersByTime(100);
    expect(ring).toHaveBeenCalledTimes(2);
  });

  it("can be stopped one by one or all at once", () => {
    const ring = vi.fn<() => void>();
    const limits = new Deadlines();
    limits.stop(limits.start(100, ring));
    limits.start(100, ring);
    limits.start(200, ring);
    limits.stopAll();
    vi.advanceTimersByTime(1000);
    expect(ring).not.toHaveBeenCalled();
  });
});

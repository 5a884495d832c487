import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RestartableTimer } from "../../../src/base/async.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a restartable timer", () => {
  it("expires once, after its time", () => {
    const expired = vi.fn();
    const timer = new RestartableTimer(100, expired);
    vi.advanceTimersByTime(99);
    expect(expired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(expired).toHaveBeenCalledTimes(1);
    timer.stop();
  });

  it("counts from its last restart", () => {
    const expired = vi.fn();
    const timer = new RestartableTimer(100, expired);
    vi.advanceTimersByTime(90);
    timer.restart();
    vi.advanceTimersByTime(90);
    timer.restart();
    vi.advanceTimersByTime(99);
    expect(expired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(expired).toHaveBeenCalledTimes(1);
  });

  it("does not expire after it was stopped, even if it was restarted before", () => {
    const expired = vi.fn();
    const timer = new RestartableTimer(100, expired);
    vi.advanceTimersByTime(50);
    timer.restart();
    vi.advanceTimersByTime(60);
    timer.stop();
    vi.advanceTimersByTime(1000);
    expect(expired).not.toHaveBeenCalled();
  });

  it("starts over while it is busy", () => {
    let isBusy = true;
    const expired = vi.fn();
    const timer = new RestartableTimer(100, expired, () => isBusy);
    vi.advanceTimersByTime(350);
    isBusy = false;
    vi.advanceTimersByTime(40);
    timer.restart();
    vi.advanceTimersByTime(90);
    expect(expired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(20);
    expect(expired).toHaveBeenCalledTimes(1);
  });
});

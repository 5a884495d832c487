import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { IdleTimer } from "../../../../src/transport/remote/server/idle-timer.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

it("expires only after a whole time in which the connection was not busy", () => {
  let isBusy = true;
  const expire = vi.fn();
  const timer = new IdleTimer(100, () => isBusy, expire);
  vi.advanceTimersByTime(350);
  isBusy = false;
  expect(expire).not.toHaveBeenCalled();
  vi.advanceTimersByTime(40);
  timer.restart();
  vi.advanceTimersByTime(90);
  expect(expire).not.toHaveBeenCalled();
  vi.advanceTimersByTime(20);
  expect(expire).toHaveBeenCalledOnce();
});

it("does not expire once stopped", () => {
  const expire = vi.fn();
  new IdleTimer(100, () => false, expire).stop();
  vi.advanceTimersByTime(1000);
  expect(expire).not.toHaveBeenCalled();
});

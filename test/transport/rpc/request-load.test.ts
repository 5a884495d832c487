import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RequestLoad } from "../../../src/transport/rpc/request-load.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIMITS = {
  holdAbove: { count: 10, bytes: 1000 },
  refuseAbove: { count: 20, bytes: 2000 },
  stallMs: 50,
};

function load() {
  const state = { held: 0, holds: 0 };
  const requests = new RequestLoad(() => {
    state.held++;
    state.holds++;
    return () => void state.held--;
  }, LIMITS);
  const add = (count: number, bytes = 1): void => {
    for (let n = 0; n < count; n++) requests.add(bytes);
  };
  const remove = (count: number, bytes = 1): void => {
    for (let n = 0; n < count; n++) requests.remove(bytes);
  };
  return { state, requests, add, remove };
}

describe("unanswered requests", () => {
  it.each([
    { what: "by their number", count: 10, bytes: 1 },
    { what: "by their bytes", count: 4, bytes: 250 },
  ])("hold reading above the limit until half are answered: $what", ({ count, bytes }) => {
    const { state, add, remove } = load();
    add(count, bytes);
    expect(state.held).toBe(0);
    add(1, bytes);
    expect(state.held).toBe(1);
    remove(count / 2, bytes);
    expect(state.held).toBe(1);
    remove(1, bytes);
    expect(state.held).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("hold reading as long as some are answered", () => {
    const { state, add, remove } = load();
    add(20);
    for (let n = 0; n < 14; n++) {
      vi.advanceTimersByTime(49);
      remove(1);
      expect(state.held).toBe(1);
    }
    remove(1);
    expect(state.held).toBe(0);
  });

  it("no longer hold reading if none is answered, and hold again after half are", () => {
    const { state, add, remove } = load();
    add(11);
    vi.advanceTimersByTime(50);
    expect(state.held).toBe(0);
    add(5);
    remove(10);
    expect(state).toEqual({ held: 0, holds: 1 });
    remove(1);
    add(6);
    expect(state).toEqual({ held: 1, holds: 2 });
  });

  it("are refused above the second limit, but never if there is only one", () => {
    const { requests, add } = load();
    expect(requests.admits(1_000_000)).toBe(true);
    add(19);
    expect([requests.admits(1), requests.admits(1982)]).toEqual([true, false]);
    add(1);
    expect(requests.admits(1)).toBe(false);
  });

  it("hold nothing once the connection is closed", () => {
    const { state, requests, add } = load();
    add(11);
    requests.clear();
    expect({ ...state, timers: vi.getTimerCount() }).toEqual({ held: 0, holds: 1, timers: 0 });
  });
});

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RateLimit } from "../../../../src/transport/remote/server/gatekeeper.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

it("allows so many events per key and minute", () => {
  const limit = new RateLimit(2);
  expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([true, true, false]);
  expect(limit.take("b")).toBe(true);
  vi.advanceTimersByTime(59_999);
  expect(limit.take("a")).toBe(false);
  vi.advanceTimersByTime(1);
  expect(limit.take("a")).toBe(true);
});

it("remembers a limited number of keys", () => {
  const limit = new RateLimit(1);
  expect([limit.take("first"), limit.take("first")]).toEqual([true, false]);
  for (let n = 0; n < 5000; n++) limit.take(`other ${n}`);
  expect(limit.take("first")).toBe(true);
});

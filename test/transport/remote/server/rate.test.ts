import { expect, it } from "vitest";
import { RateLimit } from "../../../../src/transport/remote/server/gatekeeper.ts";

it("allows so many events per key and minute", () => {
  let now = 0;
  const limit = new RateLimit(2, () => now);
  expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([true, true, false]);
  expect(limit.take("b")).toBe(true);
  now = 59_999;
  expect(limit.take("a")).toBe(false);
  now = 60_000;
  expect(limit.take("a")).toBe(true);
});

it("remembers a limited number of keys", () => {
  const limit = new RateLimit(1, () => 0);
  expect([limit.take("first"), limit.take("first")]).toEqual([true, false]);
  for (let n = 0; n < 5000; n++) limit.take(`other ${n}`);
  expect(limit.take("first")).toBe(true);
});

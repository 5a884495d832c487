import { expect, it } from "vitest";
import { WorkClock } from "../../../../src/apps/cli/context/context.ts";

it("a work clock stops while the user is asked, even about two things at once", async () => {
  let time = 1000;
  const clock = new WorkClock(() => time);
  const start = clock.now();
  time += 10;
  let release = (): void => {};
  const first = clock.asking(() => new Promise<void>((resolve) => (release = resolve)));
  time += 500;
  expect(clock.now() - start).toBe(10);
  await clock.asking(() => {
    time += 500;
    return Promise.resolve();
  });
  expect(clock.now() - start).toBe(10);
  release();
  await first;
  time += 5;
  expect(clock.now() - start).toBe(15);
  await expect(clock.asking(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  time += 5;
  expect(clock.now() - start).toBe(20);
});

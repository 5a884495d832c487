import { expect, it } from "vitest";
import { inTurn } from "../../../src/protocol/schema/in-turn.ts";

it("lets other work run between slow checks, however many there are", async () => {
  const events: string[] = [];
  const check = (name: string): Promise<void> =>
    inTurn(() => void events.push(name)).then(() => {
      setImmediate(() => events.push(`after ${name}`));
    });
  await Promise.all([check("one"), check("two"), check("three")]);
  expect(events.slice(0, 5)).toEqual(["one", "after one", "two", "after two", "three"]);
});

it("goes on after a check that failed", async () => {
  const fails = inTurn(() => {
    throw new Error("no");
  });
  const next = inTurn(() => "next");
  await expect(fails).rejects.toThrow("no");
  expect(await next).toBe("next");
});

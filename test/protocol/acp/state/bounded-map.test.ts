import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedMap, weightOf } from "../../../../src/protocol/acp/state/bounded-map.ts";

interface Entry {
  readonly text: string;
  readonly over: boolean;
}

const map = (count: number, chars: number) =>
  new BoundedMap<Entry>({
    count,
    chars,
    weigh: ({ text }) => text.length,
    isOver: ({ over }) => over,
    trim: (entry) => (entry.text === "" ? entry : { ...entry, text: "" }),
  });
const over = (text = ""): Entry => ({ text, over: true });
const open = (text = ""): Entry => ({ text, over: false });
const keys = (kept: ReadonlyMap<string, unknown>): string[] => [...kept.keys()];

describe("a map with limits", () => {
  it("drops the oldest entries above the limit of entries, to three quarters of it", () => {
    const kept = map(4, 1000);
    for (const key of ["a", "b", "c", "d"]) kept.set(key, over());
    expect(keys(kept)).toEqual(["a", "b", "c", "d"]);
    kept.set("e", over());
    expect(keys(kept)).toEqual(["c", "d", "e"]);
  });

  it("drops entries that are over before those that are not", () => {
    const kept = map(4, 1000);
    kept.set("open", open());
    for (const key of ["a", "b", "c", "d"]) kept.set(key, over());
    expect(keys(kept)).toEqual(["open", "c", "d"]);
    for (const key of ["e", "f", "g", "h"]) kept.set(key, open());
    expect(keys(kept)).toEqual(["f", "g", "h"]);
  });

  it("trims entries that are over above the limit of characters, and drops none for that", () => {
    const kept = map(100, 40);
    kept.set("open", open("o".repeat(10)));
    for (const key of ["a", "b", "c"]) kept.set(key, over("x".repeat(10)));
    expect([...kept.values()].map(({ text }) => text.length)).toEqual([10, 0, 0, 10]);
  });

  it("drops entries if trimming is not enough, but never the one that was set last", () => {
    const kept = map(100, 40);
    for (const key of ["a", "b", "c"]) kept.set(key, open("x".repeat(10)));
    kept.set("d", open("x".repeat(1000)));
    expect(keys(kept)).toEqual(["d"]);
    kept.set("e", over());
    expect(keys(kept)).toEqual(["e"]);
  });

  it("counts a replaced, a deleted and a cleared entry once", () => {
    const kept = map(100, 40);
    for (let n = 0; n < 100; n++) kept.set("a", over("x".repeat(30)));
    kept.set("b", over("x"));
    kept.delete("a");
    kept.set("c", over("x".repeat(30)));
    kept.clear();
    kept.set("d", over("x".repeat(30)));
    expect([...kept]).toEqual([["d", over("x".repeat(30))]]);
  });

  it("stays within its limits after any sequence of entries", () => {
    const entry = fc.record({ text: fc.string({ maxLength: 12 }), over: fc.boolean() });
    const sets = fc.array(fc.tuple(fc.nat({ max: 30 }), entry), { maxLength: 200 });
    fc.assert(
      fc.property(sets, (all) => {
        const kept = map(10, 60);
        for (const [key, value] of all) {
          kept.set(String(key), value);
          expect(kept.get(String(key))).toBe(value);
          expect(kept.size).toBeLessThanOrEqual(10);
          const chars = [...kept].reduce((sum, [id, { text }]) => sum + id.length + text.length, 0);
          expect(chars).toBeLessThanOrEqual(60);
        }
      }),
    );
  });
});

describe("the weight of a value", () => {
  it("is at least its characters, and grows with every part of it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        expect(weightOf({ value, text })).toBeGreaterThan(weightOf(value));
        expect(weightOf([text])).toBeGreaterThanOrEqual(text.length);
      }),
    );
  });
});

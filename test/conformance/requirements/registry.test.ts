import { describe, expect, it } from "vitest";
import { requirementsFor } from "../../../src/conformance/index.ts";

const SETS = [
  ["agent", 1, 169],
  ["agent", 2, 94],
  ["client", 1, 74],
  ["client", 2, 8],
] as const;

describe.each(SETS)("the requirements for an %s of version %i", (side, protocol, count) => {
  const all = requirementsFor(side, protocol);

  it(`are ${count}, each with its own id`, () => {
    expect(all).toHaveLength(count);
    expect(new Set(all.map(({ id }) => id)).size).toBe(count);
  });
  it("are about that side and version", () => {
    expect(all.filter((one) => one.side !== side || one.protocol !== protocol)).toEqual([]);
  });
  it("are sentences", () => {
    expect(all.filter(({ title }) => !/^[A-Z$a-z0-9].*\.$/.test(title))).toEqual([]);
  });
  it("are sorted by area", () => {
    const areas = all.map(({ area }) => area);
    const changes = areas.filter((area, index) => area !== areas[index - 1]);
    expect(changes).toEqual([...new Set(areas)]);
  });
});

import { expect, it } from "vitest";
import { believed, type ProcessSnapshot } from "../../../src/wire/process/end.ts";

const found = (...pids: number[]): ProcessSnapshot => ({ pids, isUnsure: false });
const unsure = (...pids: number[]): ProcessSnapshot => ({ pids, isUnsure: true });

it.each([
  { what: "what is found is believed at once", looks: [found(1)], is: [1], count: 1 },
  { what: "also when there may be more", looks: [unsure(1)], is: [1], count: 1 },
  { what: "nothing is believed the second time", looks: [found(), found()], is: [], count: 2 },
  {
    what: "one that was born while its parent died is found by the second look",
    looks: [found(), found(7)],
    is: [7],
    count: 2,
  },
  {
    what: "one that was being replaced is found when it shows itself",
    looks: [unsure(), unsure(), unsure(7)],
    is: [7],
    count: 3,
  },
  {
    what: "nothing is believed as soon as it is sure",
    looks: [found(), unsure(), found()],
    is: [],
    count: 3,
  },
  {
    what: "a process without any environment does not keep it waiting for ever",
    looks: Array<ProcessSnapshot>(100).fill(unsure()),
    is: [],
    count: 26,
  },
])("$what", async ({ looks, is, count }) => {
  let looked = 0;
  const pids = await believed(() => Promise.resolve(looks[looked++] ?? found(99)));
  expect(pids).toEqual(is);
  expect(looked).toBe(count);
});

import { describe, expect, it } from "vitest";
import { confirmedPids, type ProcessSnapshot } from "../../../src/base/process/process-tree.ts";

const found = (...pids: number[]): ProcessSnapshot => ({ pids, isUnsure: false });
const unsure = (...pids: number[]): ProcessSnapshot => ({ pids, isUnsure: true });

describe("confirmedPids", () => {
  it.each([
    {
      what: "accepts processes that were found at the first look",
      looks: [found(1)],
      is: [1],
      count: 1,
    },
    { what: "accepts them even if there may be more", looks: [unsure(1)], is: [1], count: 1 },
    {
      what: "accepts an empty result only after a second look",
      looks: [found(), found()],
      is: [],
      count: 2,
    },
    {
      what: "finds, at the second look, a process that started while its parent died",
      looks: [found(), found(7)],
      is: [7],
      count: 2,
    },
    {
      what: "waits for a process that is being replaced by exec",
      looks: [unsure(), unsure(), unsure(7)],
      is: [7],
      count: 3,
    },
    {
      what: "accepts an empty result as soon as no process is unsure",
      looks: [found(), unsure(), found()],
      is: [],
      count: 3,
    },
    {
      what: "does not wait forever for a process without an environment",
      looks: Array<ProcessSnapshot>(100).fill(unsure()),
      is: [],
      count: 26,
    },
  ])("$what", async ({ looks, is, count }) => {
    let looked = 0;
    const pids = await confirmedPids(() => Promise.resolve(looks[looked++] ?? found(99)));
    expect(pids).toEqual(is);
    expect(looked).toBe(count);
  });
});

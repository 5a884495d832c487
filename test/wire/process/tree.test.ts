import { describe, expect, it } from "vitest";
import {
  inGroup,
  listProcesses,
  newTreeMark,
  parsePs,
  parseStat,
  signalAll,
  startOf,
  taskkillArgs,
  withDescendants,
  type ProcessRow,
} from "../../../src/wire/process/tree.ts";

const row = (pid: number, parent: number, group = 1): ProcessRow => ({
  pid,
  parent,
  group,
  startedAt: 0,
});
const pids = (rows: readonly ProcessRow[]): number[] => rows.map(({ pid }) => pid);

describe("the processes below some", () => {
  const rows = [row(1, 0), row(2, 1), row(3, 2), row(4, 3), row(5, 1), row(6, 99)];
  it.each([
    { roots: [2], all: [2, 3, 4] },
    { roots: [4], all: [4] },
    { roots: [2, 5], all: [2, 5, 3, 4] },
    { roots: [], all: [] },
  ])("$roots are $all", ({ roots, all }) => {
    const given = rows.filter(({ pid }) => roots.includes(pid));
    expect(pids(withDescendants(given, rows))).toEqual(all);
  });

  it("are found in whatever order they are listed, and a circle ends", () => {
    expect(pids(withDescendants([row(2, 1)], [row(4, 3), row(3, 2)]))).toEqual([2, 3, 4]);
    const circle = [row(1, 2), row(2, 1)];
    expect(pids(withDescendants(circle.slice(0, 1), circle))).toEqual([1, 2]);
  });
});

it("a group has its leader and its members, whoever their parents are", () => {
  const rows = [row(7, 1, 7), row(8, 7, 7), row(9, 1, 7), row(10, 7, 10)];
  expect(pids(inGroup(7, rows))).toEqual([7, 8, 9]);
});

describe("a line of /proc/PID/stat", () => {
  const rest = "0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 987654 1000 100";
  it.each([
    {
      stat: `12 (sh) S 3 4 5 ${rest}`,
      is: { pid: 12, parent: 3, group: 4, startedAt: 987654 },
    },
    {
      stat: `12 (a) b (c)) R 3 4 5 ${rest}`,
      is: { pid: 12, parent: 3, group: 4, startedAt: 987654 },
    },
    { stat: `12 (sh) Z 3 4 5 ${rest}`, is: undefined },
    { stat: `12 (Z) X 3 4 5 ${rest}`, is: undefined },
  ])("$stat", ({ stat, is }) => {
    expect(parseStat(stat)).toEqual(is);
  });
});

it("the table of ps is read, without zombies and empty lines", () => {
  const output = "    1     0     1 Ss\n  22     1    22 S+  \n   23    22    22 Z+\n\n";
  expect(parsePs(output)).toEqual([row(1, 0, 1), row(22, 1, 22)]);
});

it("the living processes are listed with parent and group, this one among them", async () => {
  const own = (await listProcesses()).find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ parent: process.ppid, startedAt: startOf(process.pid) });
  expect(startOf(2 ** 30)).toBe(0);
});

it("Windows is told to end a tree by force", () => {
  expect(taskkillArgs(42)).toEqual(["/pid", "42", "/T", "/F"]);
});

it("a signal to a process that is gone is nothing", () => {
  expect(() => signalAll([2 ** 30], "SIGTERM")).not.toThrow();
});

it("no two trees have the same mark, and it can be the name of a variable", () => {
  expect(newTreeMark()).toMatch(/^[A-Z_]+[0-9a-f]+$/);
  expect(newTreeMark()).not.toBe(newTreeMark());
});

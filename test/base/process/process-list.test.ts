import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import {
  listBornAfter,
  listProcesses,
  newestPid,
  parsePs,
  parseStat,
  pidsAfter,
  type ProcessRow,
  startTimeOf,
  inGroup,
  newTreeMark,
  signalAll,
  taskkillArgs,
  withDescendants,
} from "../../../src/base/process/process-list.ts";

const row = (pid: number, parent: number, group = 1): ProcessRow => ({
  pid,
  parent,
  group,
  startedAt: 0,
});
const pids = (rows: readonly ProcessRow[]): number[] => rows.map(({ pid }) => pid);

describe("the descendants", () => {
  const rows = [row(1, 0), row(2, 1), row(3, 2), row(4, 3), row(5, 1), row(6, 99)];
  it.each([
    { roots: [2], all: [2, 3, 4] },
    { roots: [4], all: [4] },
    { roots: [2, 5], all: [2, 5, 3, 4] },
    { roots: [], all: [] },
  ])("of $roots are $all", ({ roots, all }) => {
    const given = rows.filter(({ pid }) => roots.includes(pid));
    expect(pids(withDescendants(given, rows))).toEqual(all);
  });

  it("are found in any order of the list, even if it contains a cycle", () => {
    expect(pids(withDescendants([row(2, 1)], [row(4, 3), row(3, 2)]))).toEqual([2, 3, 4]);
    const cycle = [row(1, 2), row(2, 1)];
    expect(pids(withDescendants(cycle.slice(0, 1), cycle))).toEqual([1, 2]);
  });
});

it("a group consists of its leader and its members, regardless of their parents", () => {
  const rows = [row(7, 1, 7), row(8, 7, 7), row(9, 1, 7), row(10, 7, 10)];
  expect(pids(inGroup(7, rows))).toEqual([7, 8, 9]);
});

describe("parsing /proc/PID/stat", () => {
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

it("the output of ps is parsed without zombies and empty lines", () => {
  const output = "    1     0     1 Ss\n  22     1    22 S+  \n   23    22    22 Z+\n\n";
  expect(parsePs(output)).toEqual([row(1, 0, 1), row(22, 1, 22)]);
});

it("the list of running processes includes this one, with its parent and start time", async () => {
  const own = (await listProcesses()).find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ parent: process.ppid, startedAt: startTimeOf(process.pid) });
  expect(startTimeOf(2 ** 30)).toBe(0);
});

describe("the pids after another", () => {
  it.each([
    { pid: 7, newest: 10, are: [10, 9, 8] },
    { pid: 7, newest: 7, are: [] },
    { pid: 32_767, newest: 2, are: [2, 1] },
  ])("from $pid to $newest are $are", ({ pid, newest, are }) => {
    expect(pidsAfter(pid, newest)).toEqual(are);
  });

  it("are at most a thousand", () => {
    expect(pidsAfter(1, 1_000_000)).toHaveLength(1000);
  });
});

it.runIf(process.platform === "linux")(
  "a process that was just started is listed as born, and missing once it has exited",
  async () => {
    const before = newestPid() ?? 0;
    const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
    await once(child, "spawn");
    expect(pids(listBornAfter(before).rows)).toContain(child.pid);
    child.stdin.end();
    await once(child, "exit");
    const born = listBornAfter(before);
    expect(pids(born.rows)).not.toContain(child.pid);
    expect(born.isMissing).toBe(true);
  },
);

it("taskkill ends a tree by force on Windows", () => {
  expect(taskkillArgs(42)).toEqual(["/pid", "42", "/T", "/F"]);
});

it("a signal to a process that no longer exists is ignored", () => {
  expect(() => signalAll([2 ** 30], "SIGTERM")).not.toThrow();
});

it("the mark of a tree is unique and a valid variable name", () => {
  expect(newTreeMark()).toMatch(/^[A-Z_]+[0-9a-f]+$/);
  expect(newTreeMark()).not.toBe(newTreeMark());
});

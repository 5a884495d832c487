// What tests of commands need before them, and what is removed after them.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { buildBin, type BuiltBin } from "../support/bin.ts";
import { type Ended, scratch, type Scratch } from "../support/run.ts";

/** A home and a project folder, empty before each test. They are options of a run too. */
export function foldersForEach(): Scratch {
  let current: Scratch | undefined;
  beforeEach(async () => {
    current = await scratch();
  });
  afterEach(() => current?.remove());
  return live(() => current);
}

/** A home and a project folder that all tests share. */
export function foldersForAll(): Scratch {
  let current: Scratch | undefined;
  beforeAll(async () => {
    current = await scratch();
  });
  afterAll(() => current?.remove());
  return live(() => current);
}

/** The command, built once for all tests. */
export function builtBin(build: () => Promise<BuiltBin> = buildBin): BuiltBin {
  let built: BuiltBin | undefined;
  beforeAll(async () => {
    built = await build();
  }, 120_000);
  afterAll(() => built?.remove());
  return {
    get file() {
      return built?.file ?? "";
    },
    remove: async () => built?.remove(),
  };
}

function live(current: () => Scratch | undefined): Scratch {
  return {
    get home() {
      return current()?.home ?? "";
    },
    get cwd() {
      return current()?.cwd ?? "";
    },
    remove: async () => current()?.remove(),
  };
}

/** Expects that a run was refused, and why. */
export async function expectRefused(
  running: Promise<Ended>,
  message: string | RegExp,
  code = 2,
): Promise<void> {
  const ended = await running;
  if (typeof message === "string") expect(ended.last).toContain(message);
  else expect(ended.last).toMatch(message);
  expect(ended.code).toBe(code);
}

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ShownUpdates } from "../../../../src/apps/cli/context/context.ts";
import { run, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

describe("a question about a change", () => {
  const folders = foldersForAll();
  beforeAll(async () => {
    await writeFile(join(folders.cwd, "a.txt"), "one\ntwo\n");
  });
  const story = async (prompt: string) =>
    (await run([...withAgent(), prompt], folders)).err
      .split("\n")
      .filter((line) => line.startsWith("["))
      .map((line) => line.replace(/,.*\)/, ")").replaceAll(folders.cwd, "/project"));

  it("is refused after the change is shown, however far the reader of the updates is behind", async () => {
    expect(await story("burst")).toEqual([
      "[tool] Edit a.txt (running)",
      "[diff] a.txt +1 -1",
      "[permission] denied: edit /project/a.txt (--write would allow it)",
    ]);
  });
  it("shows the change first if only the question has it, and not again afterwards", async () => {
    expect(await story("unannounced")).toEqual([
      "[tool] Edit a.txt (running)",
      "[diff] a.txt +1 -1",
      "[permission] denied: edit /project/a.txt (--write would allow it)",
      "[tool] Edit a.txt (failed)",
    ]);
  });
});

describe("the updates that are on the screen", () => {
  const never = new AbortController().signal;

  it("include all that arrived, once the reader has asked for the next", async () => {
    const shown = new ShownUpdates();
    const seen: number[] = [];
    async function* three() {
      yield* [1, 2, 3];
    }
    const reading = (async () => {
      for await (const update of shown.through(three())) {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(update);
      }
    })();
    await shown.caughtUp(never);
    expect(seen).toEqual([1, 2, 3]);
    await reading;
  });
  it("are complete without a turn, and after one that failed", async () => {
    const shown = new ShownUpdates();
    await shown.caughtUp(never);
    async function* broken() {
      yield 1;
      throw new Error("lost");
    }
    const reading = (async () => {
      for await (const _ of shown.through(broken()));
    })();
    await expect(reading).rejects.toThrow("lost");
    await shown.caughtUp(never);
  });
  it("do not wait for a reader that has shown one and is slow to ask for the next", async () => {
    const shown = new ShownUpdates();
    async function* one() {
      yield 1;
    }
    const reader = shown.through(one())[Symbol.asyncIterator]();
    await reader.next();
    shown.shown();
    await shown.caughtUp(never);
    await reader.return?.();
  });
  it("are not waited for after the question was withdrawn", async () => {
    const shown = new ShownUpdates();
    const question = new AbortController();
    async function* one() {
      yield 1;
    }
    const reader = shown.through(one())[Symbol.asyncIterator]();
    await reader.next();
    const waiting = shown.caughtUp(question.signal);
    question.abort();
    await waiting;
    await reader.return?.();
  });
});

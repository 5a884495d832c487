import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SessionLocks } from "../../../../src/apps/cli/stored/lock.ts";
import { startTimeOf } from "../../../../src/base/index.ts";
import { fakeIo } from "../support/io.ts";
import { foldersForEach } from "../commands/setup.ts";

const folders = foldersForEach();
const locks = () => new SessionLocks(fakeIo({ home: folders.home, now: () => 600_000 }));
const folder = () => join(folders.home, ".local/state/dragoman/locks");
const files = () => readdir(folder());

describe("a session lock", () => {
  it("keeps another run out until it is given back", async () => {
    const [one, two] = [locks(), locks()];
    one.take("droid", "s");
    one.take("droid", "s");
    expect(() => two.take("droid", "s")).toThrow(
      `session s is in use by another run (process ${process.pid}, started just now)`,
    );
    expect(two.owner("droid", "s")).toEqual({ pid: process.pid, since: 600_000 });
    expect(one.owner("droid", "s")).toBeUndefined();
    one.release();
    two.take("droid", "s");
    two.release();
    expect(await files()).toEqual([]);
  });

  it("is for one session of one agent", () => {
    const [one, two] = [locks(), locks()];
    one.take("droid", "s");
    two.take("droid", "t");
    two.take("claude", "s");
    one.release();
    two.release();
  });

  it("can be given back for one session alone", () => {
    const [one, two] = [locks(), locks()];
    one.take("droid", "s");
    one.take("droid", "t");
    one.giveBack("droid", "s");
    two.take("droid", "s");
    expect(() => two.take("droid", "t")).toThrow("session t is in use");
    one.release();
    two.release();
  });

  it("of a process that has ended is taken over", async () => {
    const child = spawn(process.execPath, ["-e", "0"]);
    const { pid } = child;
    await once(child, "exit");
    await copyLockAs(`${pid}.1`);
    const next = locks();
    next.take("droid", "s");
    expect(await files()).toHaveLength(1);
    next.release();
  });

  it.skipIf(process.platform !== "linux")(
    "of a process whose pid another process got is taken over",
    async () => {
      await copyLockAs(`${process.pid}.${startTimeOf(process.pid) - 1}`);
      const next = locks();
      next.take("droid", "s");
      next.release();
      expect(await files()).toEqual([]);
    },
  );

  it("does not keep the user from working if it cannot be written", async () => {
    await mkdir(join(folders.home, ".local/state"), { recursive: true });
    await writeFile(join(folders.home, ".local/state/dragoman"), "a file in its place");
    const one = locks();
    one.take("droid", "s");
    locks().take("droid", "s");
    one.release();
  });

  /** Leaves a lock as another process would have written it. */
  async function copyLockAs(owner: string): Promise<void> {
    const one = locks();
    one.take("droid", "s");
    const [name = ""] = await files();
    one.release();
    const [key] = name.split(".");
    await writeFile(join(folder(), `${key}.${owner}.x`), "{}");
  }
});

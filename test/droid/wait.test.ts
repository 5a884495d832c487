import { describe, expect, it } from "vitest";
import { DroidClient } from "../../src/entries/droid.ts";
import { waitForDroid } from "../../src/droid/wait.ts";
import { fakeDroid } from "../support/fake-droid/index.ts";

const aborted = { name: "DroidError", code: "cancelled" };

describe("a signal", () => {
  it("stops the waiting with its reason as the cause", async () => {
    const controller = new AbortController();
    const waiting = waitForDroid(() => new Promise(() => {}), { signal: controller.signal });
    const reason = new Error("too slow");
    controller.abort(reason);
    await expect(waiting).rejects.toMatchObject({ ...aborted, cause: reason });
  });

  it("keeps work from being started if it is aborted before", async () => {
    let started = false;
    const work = async (): Promise<void> => {
      started = true;
    };
    await expect(waitForDroid(work, { signal: AbortSignal.abort() })).rejects.toMatchObject(
      aborted,
    );
    expect(started).toBe(false);
  });

  it("ends a start, and leaves nothing running", async () => {
    const lines: string[] = [];
    const controller = new AbortController();
    const starting = DroidClient.start({
      ...fakeDroid("0.225.2"),
      signal: controller.signal,
      tap: ({ direction, line }) => {
        if (direction === "out") controller.abort();
        lines.push(line);
      },
    });
    await expect(starting).rejects.toMatchObject(aborted);
    expect(lines.length).toBeGreaterThan(0);
  });

  it("ends every call to a running Droid", async () => {
    await using droid = await DroidClient.start(fakeDroid("0.225.2"));
    const wait = { signal: AbortSignal.abort() };
    const calls: readonly (() => Promise<unknown>)[] = [
      () => droid.updateSettings({}, wait),
      () => droid.fork({ title: "title", ...wait }),
      () => droid.rename("title", wait),
      () => droid.compact({ instructions: "short", ...wait }),
      () => droid.rewindInfo("id", wait),
      () => droid.rewind("id", wait),
      () => droid.switchTo("id", wait),
      () => droid.listModels(wait),
      () => droid.listTools(wait),
      () => droid.listCommands(wait),
      () => droid.listSkills(wait),
      () => droid.contextUsage(wait),
      () => droid.request("listTools", {}, wait),
      () => droid.request("droid.list_tools", {}, wait),
      () => droid.close(wait),
      () => DroidClient.list(wait),
      () => DroidClient.delete("id", wait),
      () => DroidClient.load("id", { ...fakeDroid("0.225.2"), ...wait }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(aborted);
  });
});

describe("the state of a Droid client", () => {
  it("is open, then closing, then closed", async () => {
    const droid = await DroidClient.start(fakeDroid("0.225.2"));
    expect(droid.state).toBe("open");
    const closing = droid.close();
    expect(droid.state).toBe("closing");
    await closing;
    await droid.closed;
    expect(droid.state).toBe("closed");
  });

  it("is not open anymore when a turn fails because Droid is gone", async () => {
    await using droid = await DroidClient.start(fakeDroid("0.225.2"));
    const turn = droid.prompt("hang");
    if (droid.pid !== undefined) process.kill(droid.pid, "SIGKILL");
    const state = await turn.result.then(
      () => "not failed",
      () => droid.state,
    );
    expect(state).not.toBe("open");
  });
});

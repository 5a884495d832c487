import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { ProcessTree } from "../../../src/base/process/process-tree.ts";
import { isAlive, kill } from "./alive.ts";

/** Starts a script and waits until it has printed `count` pids. */
async function start(script: string, count: number): Promise<[ProcessTree, number[]]> {
  const line = { command: "sh", args: ["-c", script] };
  const tree = await ProcessTree.start(line, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => tree.release());
  const pids: number[] = [];
  for await (const text of createInterface(tree.child.stdout!)) {
    if (pids.push(Number(text)) === count) break;
  }
  onTestFinished(() => kill(pids));
  return [tree, pids];
}

describe("a process tree", () => {
  it("is named after its leader, and is empty once it was ended", async () => {
    const [tree, pids] = await start("echo $$; exec sleep 1000", 1);
    expect(pids).toEqual([tree.pid]);
    expect(await tree.isEmpty()).toBe(false);
    await tree.end(1000);
    expect(await tree.isEmpty()).toBe(true);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("is not empty while a daemon outlives the leader, and ends the daemon too", async () => {
    const daemon = "setsid sh -c 'echo $$; trap \"\" TERM; while :; do sleep 1; done' &";
    const [tree, [pid = 0]] = await start(`(${daemon}); cat >/dev/null`, 1);
    const exited = once(tree.child, "exit");
    tree.child.stdin!.end();
    await exited;
    expect(await tree.isEmpty()).toBe(false);
    await tree.end(100);
    expect(await tree.isEmpty()).toBe(true);
    expect(isAlive(pid)).toBe(false);
  });
});

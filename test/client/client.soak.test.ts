import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { setImmediate as nextLoopTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { AcpClient, type Session } from "../../src/entries/dragoman.ts";
import { times } from "../support/soak.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: unknown = runInNewContext("gc");

/** The bytes in use on the heap after a garbage collection. */
function liveHeap(): number {
  if (typeof collectGarbage === "function") collectGarbage();
  return process.memoryUsage().heapUsed;
}

const run = promisify(execFile);
const script = fileURLToPath(new URL("../support/agents/misbehaving.mjs", import.meta.url));
const cwd = tmpdir();

function start(...args: string[]): Promise<AcpClient> {
  return AcpClient.start({ command: process.execPath, args: [script, ...args] });
}

describe("many sessions at once", () => {
  const SESSIONS = 50;
  const UPDATES = 2000;

  async function readAll(session: Session): Promise<void> {
    let next = 0;
    const turn = session.prompt("go");
    for await (const { text } of turn) {
      if (text !== `${next++} `) expect.fail(`${session.id} got ${text} as number ${next - 1}`);
    }
    expect(next).toBe(UPDATES);
    expect(await turn.result).toMatchObject({ stopReason: "end_turn" });
  }

  it("all complete without growing memory", { timeout: 600_000 }, async () => {
    const client = await start("flood", String(UPDATES));
    const sessions = await Promise.all(
      Array.from({ length: SESSIONS }, () => client.newSession({ cwd })),
    );
    const live: number[] = [];
    for (let round = 0; round < times(2, 30); round++) {
      await Promise.all(sessions.map(readAll));
      live.push(liveHeap());
    }
    // The first round fills the buffer that each session keeps for its first reader. It then stays full.
    const [first = 0, ...later] = live;
    expect(Math.max(...later)).toBeLessThan(first + 8 * 1024 * 1024);
    await client.close();
  });
});

describe("many starts and closes", () => {
  const MARK = `mark-${process.pid}`;

  async function leftProcesses(): Promise<string[]> {
    const { stdout } = await run("ps", ["-A", "-o", "args="]);
    return stdout.split("\n").filter((line) => line.includes(MARK) && !line.startsWith("ps "));
  }

  const listeners = (): number =>
    ["exit", "beforeExit", "SIGINT", "SIGTERM", "SIGHUP", "uncaughtException", "warning"]
      .map((event) => process.listenerCount(event))
      .reduce((sum, count) => sum + count, 0);

  async function startAndClose(n: number): Promise<void> {
    const client = await start("well", MARK);
    const session = await client.newSession({ cwd });
    // Closes in the middle of a turn, after one, and without one.
    if (n % 3 === 0) session.prompt("hello");
    if (n % 3 === 1) expect(await session.prompt("hello").text()).toBe("you said: hello");
    await client.close();
  }

  it("leave no process, handle or listener behind", { timeout: 900_000 }, async () => {
    await startAndClose(1);
    const before = { listeners: listeners(), resources: process.getActiveResourcesInfo().length };
    const count = times(12, 500);
    for (let n = 0; n < count; n += 4) {
      await Promise.all([0, 1, 2, 3].map((offset) => startAndClose(n + offset)));
    }
    expect(await leftProcesses()).toEqual([]);
    for (let n = 0; n < 10; n++) await nextLoopTurn();
    expect(listeners()).toBe(before.listeners);
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before.resources);
  });
});

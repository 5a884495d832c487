// An agent that floods the library with requests and tool calls.
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { AcpClient, type PermissionDecision } from "../../src/entries/dragoman.ts";
import { deferred } from "../../src/base/index.ts";
import { times } from "../support/soak.ts";
import { quick } from "../support/suite.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: unknown = runInNewContext("gc");

const MIB = 1024 * 1024;
const script = fileURLToPath(new URL("../support/agents/flooding.mjs", import.meta.url));
const agent = { command: process.execPath, args: [script] };
const cwd = tmpdir();

/** The bytes in use on the heap after a garbage collection. */
function liveHeap(): number {
  if (typeof collectGarbage === "function") collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe("permission requests that are never answered", () => {
  it.skipIf(quick)(
    "are bounded, and the turn can still be cancelled",
    { timeout: 600_000 },
    async () => {
      let asked = 0;
      const full = deferred();
      const log = (message: string): void => {
        if (message.startsWith("refused a request")) full.resolve();
      };
      await using client = await AcpClient.start({
        ...agent,
        logger: { warn: log },
        // The agent sends all its requests before it ends the turn.
        timeouts: { cancelGraceMs: 0 },
        permissions: () => {
          // Above the limit, requests would have to be refused.
          if (++asked > 10_000) full.resolve();
          return new Promise(() => {});
        },
      });
      const session = await client.newSession({ cwd });
      const before = liveHeap();
      const count = times(12_000, 400_000);
      const turn = session.prompt(`requests session/request_permission ${count}`);
      await full.promise;
      await turn.cancel();
      // The agent ends its turn when every request has an answer: `cancelled` or refused.
      expect(await turn.result).toMatchObject({ stopReason: "end_turn" });
      expect(asked).toBeLessThanOrEqual(10_000);
      expect(liveHeap() - before).toBeLessThan(100 * MIB);
    },
  );

  it("do not hold up the answer to a call", { timeout: 60_000 }, async () => {
    const held = deferred();
    let asked = 0;
    await using client = await AcpClient.start({
      ...agent,
      permissions: async (): Promise<PermissionDecision> => {
        // Above the limit at which reading is held.
        if (++asked === 1200) held.resolve();
        await held.promise;
        await client.newSession({ cwd }).catch(() => {});
        return "deny";
      },
    });
    const session = await client.newSession({ cwd });
    const turn = session.prompt("requests session/request_permission 1200");
    expect(await turn.result).toMatchObject({ stopReason: "end_turn" });
  });
});

describe("file requests in any number", () => {
  it.skipIf(quick)("are all served", { timeout: 600_000 }, async () => {
    await using client = await AcpClient.start(agent);
    const session = await client.newSession({ cwd });
    const turn = session.prompt(`requests fs/read_text_file ${times(3000, 40_000)}`);
    expect(await turn.result).toMatchObject({ stopReason: "end_turn" });
  });
});

describe("2,000 tool calls of 50 kB in each turn", () => {
  it.skipIf(quick)(
    "do not make the session grow from turn to turn",
    { timeout: 600_000 },
    async () => {
      await using client = await AcpClient.start(agent);
      const session = await client.newSession({ cwd });
      const live: number[] = [];
      for (let turn = 1; turn <= times(4, 20); turn++) {
        await session.prompt("calls 2000 50000").result;
        live.push(liveHeap());
        const calls = [...session.toolCalls.values()];
        expect(calls.length).toBeGreaterThanOrEqual(750);
        expect(calls.length).toBeLessThanOrEqual(1000);
        expect(calls.every(({ status }) => status === "completed")).toBe(true);
        expect(calls.at(-1)).toMatchObject({ toolCallId: `${turn}-1999`, title: "call 1999" });
        expect(calls.at(-1)?.content).toHaveLength(1);
      }
      // The first turns fill the buffers of the session and of its readers. They then stay full.
      const [, second = 0, ...later] = live;
      expect(Math.max(...later)).toBeLessThan(second + 8 * MIB);
    },
  );
});

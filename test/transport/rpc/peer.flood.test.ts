// The other side sends requests faster than they are answered, or does not read the answers.
import { describe, expect, it } from "vitest";
import { deferred } from "../../../src/base/index.ts";
import { memoryPair } from "../../../src/transport/wire/index.ts";
import { Peer } from "../../../src/transport/rpc/peer.ts";
import type { PeerOptions } from "../../../src/transport/rpc/peer.ts";
import { request, result, type Frame } from "../../support/messages.ts";
import { connect } from "./raw.ts";

const LIMITS = {
  holdAbove: { count: 10, bytes: 1_000_000 },
  refuseAbove: { count: 50, bytes: 1_000_000 },
};
const NEVER = 2 ** 30;

function numbered(count: number): Frame[] {
  return Array.from({ length: count }, (_, n) => request(n, "m"));
}

describe("more unanswered requests than the limit", () => {
  it("wait until earlier ones are answered, and then all get an answer", async () => {
    const gates: (() => void)[] = [];
    const handlers = {
      request: () => {
        const gate = deferred();
        gates.push(gate.resolve);
        return gate.promise;
      },
    };
    const { send, settled, written, untilWritten } = connect({
      handlers,
      requestLimits: { ...LIMITS, stallMs: NEVER },
    });
    send(...numbered(40));
    await settled();
    // A few more may have been on their way.
    expect(gates.length).toBeGreaterThan(10);
    expect(gates.length).toBeLessThan(15);
    while (written.length < 40) {
      for (const open of gates.splice(0)) open();
      await settled();
    }
    expect(new Set((await untilWritten(40)).map(({ id }) => id)).size).toBe(40);
  });

  it("do not hold up the answer to a call that one of them waits for", async () => {
    const { peer, send, untilWritten } = connect({
      handlers: { request: () => peer.call("ask") },
      requestLimits: { ...LIMITS, stallMs: 1 },
    });
    send(...numbered(20));
    const calls = (await untilWritten(20)).filter(({ method }) => method === "ask");
    expect(calls).toHaveLength(20);
    send(...calls.map(({ id }) => result(id, "yes")));
    const answers = (await untilWritten(40)).filter(({ method }) => method === undefined);
    expect(answers.map((answer) => answer["result"])).toEqual(Array(20).fill("yes"));
  });

  it("are refused above the second limit, and later ones run again", async () => {
    const gate = deferred<string>();
    let running = 0;
    const options: PeerOptions = {
      handlers: {
        request: () => {
          running++;
          return gate.promise;
        },
      },
      requestLimits: { ...LIMITS, stallMs: 1 },
    };
    const { send, untilWritten } = connect(options);
    send(...numbered(80));
    const refused = await untilWritten(30);
    expect(running).toBe(50);
    expect(refused.map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, n) => n + 50));
    expect(refused[0]).toMatchObject({
      error: { code: -32005, message: "Too many unanswered requests" },
    });
    gate.resolve("done");
    await untilWritten(80);
    send(request("last", "m"));
    expect((await untilWritten(81)).at(-1)).toEqual(result("last", "done"));
  });

  it("end with the connection, and leave no timer behind", async () => {
    const never = new Promise(() => {});
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const { peer, send, settled } = connect({
      handlers: { request: () => never },
      requestLimits: { ...LIMITS, stallMs: NEVER },
    });
    send(...numbered(20));
    await settled();
    expect(timers()).toBe(before + 1);
    await peer.close();
    expect(timers()).toBe(before);
  });
});

describe("a side that does not read its answers", () => {
  it("is not read from above the limit, until it has read", async () => {
    const [near, far] = memoryPair();
    let served = 0;
    const peer = new Peer(near, {
      handlers: { request: () => `${served++} ${"x".repeat(1000)}` },
      holdAboveUnread: 20_000,
    });
    let read = 0;
    const all = deferred();
    far.open(() => {
      if (++read === 2000) all.resolve();
    });
    far.pause();
    for (const frame of numbered(2000)) void far.send(JSON.stringify(frame));
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThan(2000);
    expect(peer.unreadChars).toBeLessThan(200_000);
    far.resume();
    await all.promise;
    expect(served).toBe(2000);
  });
});

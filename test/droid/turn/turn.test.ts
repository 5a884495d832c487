import { describe, expect, it } from "vitest";
import type { DroidEvent, DroidTurnResult } from "../../../src/entries/droid.ts";
import { TurnStream } from "../../../src/droid/turn/turn.ts";

const result: DroidTurnResult = {
  stopReason: "completed",
  failure: undefined,
  usage: undefined,
  messageId: "m",
  sessionUsage: undefined,
  structuredOutput: undefined,
  sessionId: "s",
};

function piece(text: string): DroidEvent {
  return { type: "text", messageId: "m", blockIndex: 0, text };
}

/** A turn that counts its holds on the connection. */
function openTurn(): { turn: TurnStream; held: () => number } {
  let holds = 0;
  const hold = (): (() => void) => {
    holds++;
    return () => holds--;
  };
  return { turn: new TurnStream("t", hold, () => {}), held: () => holds };
}

async function read(turn: TurnStream): Promise<DroidEvent[]> {
  const events: DroidEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}

describe("the events of a turn", () => {
  it("are kept for a reader that starts a little later", async () => {
    const { turn } = openTurn();
    turn.push(piece("a"), 1);
    turn.push(piece("b"), 1);
    turn.end(result);
    expect(await read(turn)).toEqual([piece("a"), piece("b")]);
  });

  it("neither fill the memory nor hold up Droid if they are not read", async () => {
    const { turn, held } = openTurn();
    for (let index = 0; index < 100_000; index++) turn.push(piece(String(index)), 10);
    expect(held()).toBe(0);
    turn.end(result);
    expect(await turn.result).toBe(result);
    const events = await read(turn);
    expect(events.length).toBeLessThan(1100);
    const [notice] = events;
    expect(notice).toMatchObject({ type: "notice", kind: "events_dropped" });
    expect(notice?.type === "notice" && notice.kind === "events_dropped" && notice.count).toBe(
      100_001 - events.length,
    );
    expect(events.at(-1)).toEqual(piece("99999"));
  });

  it("are dropped once they exceed a number of bytes", async () => {
    const { turn } = openTurn();
    for (let index = 0; index < 100; index++) turn.push(piece("x"), 1024 * 1024);
    turn.end(result);
    expect((await read(turn)).length).toBeLessThan(10);
  });

  it("hold up Droid only while the reader is behind", async () => {
    const { turn, held } = openTurn();
    const reading = turn[Symbol.asyncIterator]();
    for (let index = 0; index < 2000; index++) turn.push(piece(String(index)), 10);
    expect(held()).toBe(1);
    for (let index = 0; index < 1600; index++) await reading.next();
    expect(held()).toBe(0);
  });

  it("do not hold up Droid once the turn is cancelled, because the reader may be waiting for the end", () => {
    const { turn, held } = openTurn();
    void turn[Symbol.asyncIterator]();
    for (let index = 0; index < 2000; index++) turn.push(piece(String(index)), 10);
    turn.flow();
    expect(held()).toBe(0);
    for (let index = 0; index < 2000; index++) turn.push(piece(String(index)), 10);
    expect(held()).toBe(0);
  });

  it("end with the error that ended the turn, which need not be handled", async () => {
    const { turn } = openTurn();
    const ignored = openTurn().turn;
    ignored.fail(new Error("not handled"));
    turn.push(piece("a"), 1);
    turn.fail(new Error("ended"));
    const seen: DroidEvent[] = [];
    const reading = (async () => {
      for await (const event of turn) seen.push(event);
    })();
    await expect(reading).rejects.toThrow("ended");
    expect(seen).toEqual([piece("a")]);
    await expect(turn.result).rejects.toThrow("ended");
    await turn.cancel();
  });
});

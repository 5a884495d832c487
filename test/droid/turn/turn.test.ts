import { describe, expect, it } from "vitest";
import type { DroidEvent } from "../../../src/entries/droid.ts";
import { type DroidTurnEnd, TurnStream } from "../../../src/droid/turn/turn.ts";

const result: DroidTurnEnd = {
  stopReason: "completed",
  failure: undefined,
  usage: undefined,
  credits: undefined,
  messageId: "m",
  sessionUsage: undefined,
  structuredOutput: undefined,
  sessionId: "s",
};

function piece(text: string, messageId = "m"): DroidEvent {
  return { type: "text", messageId, blockIndex: 0, text };
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
    expect(await turn.result).toMatchObject(result);
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

describe("the text of a turn", () => {
  it("has every message that was not retracted, and the result has the last one", async () => {
    const { turn } = openTurn();
    const reading = turn.text();
    turn.push(piece("let me ", "a"), 1);
    turn.push(piece("look", "a"), 1);
    turn.push({ type: "notice", kind: "message", messageId: "n", text: "a notice" }, 1);
    turn.push(piece("wrong", "b"), 1);
    turn.push({ type: "retracted", messageId: "b" }, 1);
    turn.push(piece("found it", "b"), 1);
    turn.end(result);
    expect(await reading).toBe("let me look\n\nfound it");
    expect(await turn.result).toMatchObject({
      text: "let me look\n\nfound it",
      finalMessage: "found it",
    });
  });

  it("is complete even if nothing read the events in time", async () => {
    const { turn, held } = openTurn();
    for (let index = 0; index < 5000; index++) turn.push(piece("x"), 10);
    expect(turn.dropped).toBeGreaterThan(0);
    const reading = turn.text();
    for (let index = 0; index < 5000; index++) turn.push(piece("x"), 10);
    expect(held()).toBe(0);
    turn.end(result);
    expect(await reading).toBe("x".repeat(10_000));
  });

  it("can be had besides the events, which can be read only once", async () => {
    const { turn } = openTurn();
    turn.push(piece("a"), 1);
    turn.end(result);
    expect(await read(turn)).toEqual([piece("a")]);
    expect(await Promise.all([turn.text(), turn.text()])).toEqual(["a", "a"]);
    const alreadyRead = { name: "DroidError", code: "already_read" };
    await expect(read(turn)).rejects.toMatchObject(alreadyRead);
  });
});

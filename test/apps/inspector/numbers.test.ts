import { describe, expect, it } from "vitest";
import { turnNumbers, trafficNumbers, methodNumbers } from "../../../src/apps/inspector/numbers.ts";
import { modelOfFile, Script } from "./sessions.ts";

const cost = (amount: number) => ({ used: 1, size: 2, cost: { amount, currency: "USD" } });

describe("the numbers of turns", () => {
  it("have first update, silence, rates and the cost of each turn", () => {
    const script = new Script().open().prompt(2).wait(100).say("a").wait(900).say("b").done(2);
    script.update("usage_update", cost(0.25)).prompt(3).update("usage_update", cost(1)).done(3);
    const [first, second] = turnNumbers(script.model);
    expect(first).toMatchObject({
      turn: 0,
      firstUpdate: { ms: 100, row: 5 },
      silence: { ms: 900, row: 5 },
      chunks: 2,
      chunksPerSecond: 2,
      toolCalls: 0,
      cost: { amount: 0.25, currency: "USD" },
    });
    expect(first?.bytes).toBeGreaterThan(200);
    expect(second).toMatchObject({ chunksPerSecond: undefined, cost: { amount: 0.75 } });
  });

  it("do not count the wait for a person as silence", () => {
    const script = new Script().open().prompt(2).ask(5, "t").wait(9000).choose(5, "no").wait(3);
    const [turn] = turnNumbers(script.done(2).model);
    expect(turn?.silence.ms).toBe(3);
  });
});

describe("the numbers of all traffic", () => {
  it("add up", () => {
    const numbers = trafficNumbers(modelOfFile("captures/goose-1.37.0.json.gz"));
    expect(numbers.frames).toBe(571);
    expect(numbers.fromAgent.frames + numbers.fromClient.frames).toBe(571);
    expect(numbers.fromAgent.bytes + numbers.fromClient.bytes).toBe(numbers.bytes);
    expect(numbers.peak.frames).toBeGreaterThan(10);
    expect(numbers.durationMs).toBeGreaterThan(60_000);
  });

  it("of an empty session are zero", () => {
    expect(trafficNumbers(new Script().model)).toMatchObject({ frames: 0, largest: -1 });
  });
});

describe("the numbers of methods", () => {
  it("count requests, errors and open ones, with percentiles that name their frames", () => {
    const script = new Script();
    for (let id = 1; id <= 100; id++)
      script
        .out({ id, method: "m" })
        .wait(id)
        .in(id === 5 ? { id, error: {} } : { id, result: {} });
    script.out({ id: 101, method: "m" }).in({ method: "n" });
    expect(methodNumbers(script.model)).toEqual([
      {
        method: "m",
        direction: "out",
        isRequest: true,
        count: 101,
        open: 1,
        errors: 1,
        p50: { ms: 50, row: 98 },
        p90: { ms: 90, row: 178 },
        p99: { ms: 99, row: 196 },
        max: { ms: 100, row: 198 },
      },
      expect.objectContaining({ method: "n", isRequest: false, count: 1, open: 0, max: undefined }),
    ]);
  });

  it("take the time of people out of a prompt", () => {
    const script = new Script().open().prompt(2).wait(10).ask(5, "t").wait(5000).choose(5, "no");
    const prompt = methodNumbers(script.wait(20).done(2).model).find(
      ({ method }) => method === "session/prompt",
    );
    expect(prompt?.max).toEqual({ ms: 30, row: 4 });
  });
});

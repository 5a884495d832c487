import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AcpClient, type Timeouts } from "../../../src/entries/dragoman.ts";
import { memoryPair } from "../../../src/entries/wire.ts";
import { initialized } from "../fake-agent.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A start with an agent that sends the lines that the test sends. */
function starting(timeouts: Timeouts = {}) {
  const [ours, theirs] = memoryPair();
  const received: { id?: number }[] = [];
  theirs.open((line) => void received.push(JSON.parse(line)));
  let settled: unknown;
  const started = AcpClient.start({ channel: ours, timeouts }).then(
    (client) => (settled = client),
    (error: unknown) => (settled = error),
  );
  const wait = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
  const answer = (): unknown =>
    theirs.send(JSON.stringify({ jsonrpc: "2.0", id: received[0]?.id, result: initialized() }));
  return { print: (line: string) => theirs.send(line), answer, wait, started, now: () => settled };
}

describe("an agent that prints other text before it answers", () => {
  it("may be silent for a quarter of the start limit after each line", async () => {
    const agent = starting();
    await agent.wait(10);
    void agent.print("loading");
    await agent.wait(14_900);
    void agent.print("still loading");
    await agent.wait(14_900);
    expect(agent.now()).toBeUndefined();
    void agent.answer();
    expect(await agent.started).toBeInstanceOf(AcpClient);
  });

  it("fails the start after a longer silence", async () => {
    const agent = starting();
    await agent.wait(10);
    void agent.print("Server listens on port 80");
    await agent.wait(15_100);
    expect(agent.now()).toMatchObject({
      name: "StartError",
      cause: { name: "NotAnAgentError", ms: 15_000 },
      stdout: "Server listens on port 80",
    });
  });

  it.each([
    ["has sent a message too", {}, '{"jsonrpc":"2.0","method":"_ready"}'],
    ["has no start limit", { startMs: 0 }, "more"],
    ["has a longer start limit", { startMs: 600_000 }, "more"],
  ])("may be silent for longer if it %s", async (_, timeouts, line) => {
    const agent = starting(timeouts);
    await agent.wait(10);
    void agent.print("hello");
    void agent.print(line);
    await agent.wait(50_000);
    void agent.answer();
    expect(await agent.started).toBeInstanceOf(AcpClient);
  });

  it("has its last 20 lines kept, each cut at 500 characters", async () => {
    const agent = starting({ startMs: 1000 });
    await agent.wait(10);
    for (let n = 0; n < 30; n++) void agent.print(`${n} ${"x".repeat(1000)}`);
    await agent.wait(2000);
    const { stdout } = agent.now() as { stdout: string };
    const lines = stdout.split("\n");
    expect([lines.length, lines[0]?.slice(0, 3), lines[0]?.length]).toEqual([20, "10 ", 500]);
  });
});

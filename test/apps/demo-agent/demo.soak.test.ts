/** One demo agent with a hundred sessions at once: turns, cancels, replays and stable memory. */
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { peerDriver, withBundle } from "../../agent/pipe.ts";
import type { Json } from "../../agent/harness.ts";
import { randomFrom, seed, times } from "../../support/soak.ts";

withBundle("src/apps/demo-agent/index.ts");

const SESSIONS = 100;

/** The memory of a process in MB; 0 where the system does not report it. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "VmRSS: 0 kB");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

it("each of a hundred sessions gets its own answers, and memory stays stable", async () => {
  const random = randomFrom(seed);
  const cwd = tmpdir();
  const bySession = new Map<string, string[]>();
  const driver = await peerDriver();
  const record = (line: string): void => {
    const frame = JSON.parse(line) as { method?: string; params?: Json };
    if (frame.method !== "session/update") return;
    const { sessionId, update } = frame.params as { sessionId: string; update: Json };
    if (update["sessionUpdate"] !== "agent_message_chunk") return;
    bySession.get(sessionId)?.push(String((update["content"] as Json)["text"]));
  };
  driver.onLine = record;
  await driver.initialize();

  const useSession = async (index: number): Promise<void> => {
    const { sessionId } = await driver.call("session/new", { cwd, mcpServers: [] });
    const id = String(sessionId);
    const texts: string[] = [];
    bySession.set(id, texts);
    const prompt = async (text: string): Promise<unknown> =>
      (await driver.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] }))[
        "stopReason"
      ];
    const count = 5 + Math.floor(random() * 40);
    expect(await prompt(`/flood ${count} 1`)).toBe("end_turn");
    expect(texts).toEqual(Array.from({ length: count }, (_, i) => `${i + 1} x\n`));

    texts.length = 0;
    const hanging = prompt("/hang");
    await driver.notify("session/cancel", { sessionId });
    expect(await hanging).toBe("cancelled");

    expect(await prompt(`/title session ${index}`)).toBe("end_turn");
    if (random() < 0.5) await driver.call("session/close", { sessionId });
    texts.length = 0;
    await driver.call("session/load", { sessionId, cwd, mcpServers: [] });
    expect(texts.slice(0, count)).toEqual(Array.from({ length: count }, (_, i) => `${i + 1} x\n`));
    expect(texts.at(-1)).toBe(`The session is now called "session ${index}".`);
    await driver.call("session/delete", { sessionId });
    bySession.delete(id);
  };

  const round = async (): Promise<number> => {
    await Promise.all(Array.from({ length: SESSIONS }, (_, index) => useSession(index)));
    return await memoryOf(driver.pid);
  };
  const settled = await round();
  let last = settled;
  for (let n = 1; n < times(3, 60); n++) last = await round();
  expect(last - settled).toBeLessThan(60);
  const { sessions } = await driver.call("session/list", { cwd });
  expect(sessions).toEqual([]);
});

it("a history of 20,000 updates is replayed completely, in bounded memory", async () => {
  const driver = await peerDriver();
  await driver.initialize();
  const cwd = tmpdir();
  const sessionId = await driver.newSession({ cwd });
  expect(await driver.prompt(sessionId, "/flood 20000 16")).toBe("end_turn");
  const before = driver.updates.length;
  const memory = await memoryOf(driver.pid);
  await driver.call("session/load", { sessionId, cwd, mcpServers: [] });
  expect((await memoryOf(driver.pid)) - memory).toBeLessThan(40);
  const replayed = driver.updates
    .slice(before)
    .filter((update) => update["sessionUpdate"] === "agent_message_chunk");
  expect(replayed).toHaveLength(20_000);
  expect(replayed.at(-1)).toMatchObject({ content: { text: `20000 ${"x".repeat(16)}\n` } });
});

import { describe, expect, it } from "vitest";
import { events, run, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../../commands/setup.ts";

const folders = foldersForAll();
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], folders);
describe("events", () => {
  it("end with a result", async () => {
    const all = events((await prompt("-o", "events", "story")).out);
    expect(all.every(({ v }) => v === 1)).toBe(true);
    expect(all.map(({ type }) => type)).toEqual([
      "agent",
      "session",
      "thought",
      "commands",
      "plan",
      "tool",
      "tool",
      "tool",
      "usage",
      "unknown",
      "text",
      "result",
    ]);
    expect(all.at(-1)).toMatchObject({
      ok: true,
      exitCode: 0,
      text: "Done.\n",
      stopReason: "end_turn",
      usage: { used: 120, size: 1000, cost: { amount: 0.5, currency: "EUR" } },
      sessionId: "s1",
      denied: [],
      error: null,
    });
  });

  it("report denied permissions and failures in the result", async () => {
    const denied = events((await prompt("-o", "events", "edit")).out);
    expect(denied.find(({ type }) => type === "permission")).toMatchObject({
      outcome: "denied",
      hint: "--write",
    });
    expect(denied.at(-1)).toMatchObject({
      ok: true,
      denied: [{ outcome: "denied", hint: "--write" }],
    });
    const crashed = events((await prompt("-o", "events", "crash")).out).at(-1);
    expect(crashed).toMatchObject({
      type: "result",
      ok: false,
      exitCode: 8,
      text: "partial",
      stopReason: null,
      error: { kind: "died", exit: "exit code 3", stderr: "first words\nthe database is gone\n" },
    });
    const missing = events(
      (await run(["-o", "events", "--agent-command", "/no/such/agent", "x"], folders)).out,
    );
    expect(missing.at(-1)).toMatchObject({ type: "result", exitCode: 7, sessionId: null });
  });
});

describe("raw frames", () => {
  it("are copied byte for byte, after one line about the agent", async () => {
    const { out, err } = await prompt("-j", "hello");
    const [first, ...frames] = out.trimEnd().split("\n");
    expect(JSON.parse(first ?? "")).toEqual({
      jsonrpc: "2.0",
      method: "client/selected_agent",
      params: { name: "node", command: "node" },
    });
    const methods = frames.map((line) => (JSON.parse(line) as { method?: string }).method);
    expect(methods).toEqual([
      "initialize",
      undefined,
      "session/new",
      undefined,
      "session/prompt",
      "session/update",
      "session/update",
      undefined,
    ]);
    expect(frames[5]).toBe(
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}}}',
    );
    expect(err).toBe("");
  });

  it("are accompanied by denied permissions on stderr", async () => {
    const { code, err } = await prompt("-o", "jsonl", "edit");
    expect(code).toBe(0);
    expect(err).toMatch(/denied: edit .*a\.txt \(--write would allow it\)/);
  });

  it("leave out lines that are not frames", async () => {
    const { out, err } = await prompt("--jsonl", "noise");
    for (const line of out.trimEnd().split("\n"))
      expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(out).toContain(", and whole");
    expect(err).toContain("ignored 3 lines on the agent's stdout that are not protocol messages");
  });
});

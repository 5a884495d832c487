import { describe, expect, it } from "vitest";
import { run, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../../commands/setup.ts";

const folders = foldersForAll();
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], folders);
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

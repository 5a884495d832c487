import { describe, expect, it } from "vitest";
import { events, run, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../../commands/setup.ts";

const folders = foldersForAll();
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], folders);
it("a run whose agent cannot start has a result without a session", async () => {
  const { out } = await run(["-o", "events", "--agent-command", "/no/such/agent", "x"], folders);
  expect(events(out)).toMatchObject([{ type: "result", exitCode: 7, sessionId: null }]);
});

describe("raw frames", () => {
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

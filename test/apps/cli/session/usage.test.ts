import { describe, expect, it } from "vitest";
import { usageFacts } from "../../../../src/apps/cli/session/turn.ts";
import { events, run, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const tokens = { totalTokens: 5, inputTokens: 3, outputTokens: 2 };

describe("the usage of a turn", () => {
  it.each([
    ["nothing", undefined, {}, undefined],
    ["the context", { used: 1, size: 2 }, {}, { used: 1, size: 2 }],
    ["the tokens", undefined, { usage: tokens }, { tokens: { total: 5, input: 3, output: 2 } }],
    [
      "both",
      { used: 1, size: 2, cost: { amount: 3, currency: "EUR" } },
      { usage: { ...tokens, cachedReadTokens: 1, thoughtTokens: null } },
      {
        used: 1,
        size: 2,
        cost: { amount: 3, currency: "EUR" },
        tokens: { total: 5, input: 3, output: 2, cachedRead: 1 },
      },
    ],
    ["no tokens without a total", undefined, { usage: { inputTokens: 3 } }, undefined],
    ["no figures that are none", undefined, { usage: { totalTokens: "5" } }, undefined],
  ])("has %s", (_case, session, result, usage) => {
    expect(usageFacts(session, result)).toEqual(usage);
  });

  describe("is reported", () => {
    const folders = foldersForAll();
    const where = () => ({ ...folders, now: () => 0 });

    it("in the result event", async () => {
      const { out } = await run([...withAgent(), "-o", "events", "spending"], where());
      expect(events(out).at(-1)).toMatchObject({
        usage: { used: 12_000, size: 200_000, tokens: { total: 1234, input: 1000, output: 234 } },
      });
    });
    it("in a closing line on a terminal", async () => {
      const options = { ...where(), stderrTty: true };
      const { err } = await run([...withAgent(), "--color", "never", "spending"], options);
      expect(err).toContain(
        "[done] 0.0 s, 1,234 tokens (1,000 in, 234 out), context 12,000 of 200,000 (6 %)\n",
      );
      const simple = await run([...withAgent(), "-o", "simple", "spending"], options);
      expect(simple.err).not.toContain("[done]");
    });
    it("not in a pipe", async () => {
      expect((await run([...withAgent(), "spending"], where())).err).toBe("");
    });
  });
});

import { describe, expect, it } from "vitest";
import { statusLine, statusOf } from "../../../../src/apps/cli/input/status-line.ts";

const facts = {
  agent: "droid",
  model: "Sonnet",
  mode: "Auto",
  usage: { used: 24_000, size: 200_000, cost: { amount: 0.1234, currency: "USD" } },
};

describe("the status line", () => {
  it.each([
    ["everything", facts, 80, "droid · Sonnet · Auto · 12 % of 200k tokens · 0.123 USD"],
    ["as much as fits", facts, 50, "droid · Sonnet · Auto · 12 % of 200k tokens"],
    [
      "no figure that is not known",
      { ...facts, usage: undefined, model: undefined },
      80,
      "droid · Auto",
    ],
    [
      "tokens without a limit",
      { ...facts, usage: { used: 1234, size: 0 } },
      80,
      "droid · Sonnet · Auto · 1.2k tokens",
    ],
    ["a long name cut", { ...facts, agent: "a".repeat(20) }, 10, "aaaaaaaaa…"],
    [
      "text that is safe",
      { ...facts, model: "\u001b[2J", mode: undefined, usage: undefined },
      80,
      "droid · ␛[2J",
    ],
  ])("shows %s", (_what, given, columns, line) => {
    expect(statusLine(given, columns)).toBe(line);
  });

  it("takes the agent's names for the model and the mode", () => {
    const session = {
      usage: undefined,
      modes: { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] },
      configOptions: [
        {
          type: "select" as const,
          id: "m",
          name: "Model",
          category: "model",
          currentValue: "small",
          options: [{ value: "small", name: "Small" }],
        },
      ],
    };
    expect(statusOf("a", session, { used: 1, size: 2 })).toEqual({
      agent: "a",
      model: "Small",
      mode: "Ask",
      usage: { used: 1, size: 2 },
    });
  });
});

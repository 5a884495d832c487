import { describe, expect, it } from "vitest";
import { byHandLine, doctorLine } from "../../../src/cli/agents/hints.ts";

describe("a suggested command", () => {
  const agent = {
    name: "sh",
    command: "sh",
    args: ["-c", "echo boom >&2; exit 3"],
    from: "command line",
  } as const;
  it("keeps the quotes inside the agent's command line", () => {
    expect(doctorLine(agent)).toBe(
      `dragoman doctor --agent-command "sh -c 'echo boom >&2; exit 3'"`,
    );
    expect(byHandLine(agent)).toBe(
      "sh -c 'echo boom >&2; exit 3' in a terminal, to see its own output",
    );
  });
});
